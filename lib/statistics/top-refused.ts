import { z } from 'zod';
import { EndpointClassSchema } from '@/lib/contract/fields/enumerations';
import type { TopRefusedIdentifier } from '@/lib/contract/statistics';
import type { Database } from '@/lib/db/database';
import { piecesOf, type RollupStep } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

const PIECE =
  'select type, identifier, class, count from refused_identifiers where step = ? and start >= ? and start < ?';
const Type = z.enum(['ip', 'client', 'user', 'quota', 'global']);
const Classes = z.partialRecord(EndpointClassSchema, z.int());

/**
 * The identifiers that were refused most from `from` up to and without `to`, most refused first: whole days, the hours
 * around them and the minutes around those, so that a year is as quick as an hour.
 */
export async function topRefused(
  database: Database,
  from: Millis,
  to: Millis,
  finest: RollupStep,
  most: number,
): Promise<TopRefusedIdentifier[]> {
  const pieces = piecesOf(from, to, finest);
  if (most === 0 || pieces.length === 0) return [];
  const sql = `
    select type, identifier, sum(count) as refused, json_group_object(class, count) as classes from (
      select type, identifier, class, sum(count) as count from (${pieces.map(() => PIECE).join(' union all ')}) group by 1, 2, 3)
    group by 1, 2 order by refused desc, type, identifier limit ?`;
  const args = [...pieces.flatMap(({ step, start, end }) => [step, start, end]), most];
  const { rows } = await database.client.execute({ sql, args });
  return rows.map((row) => ({
    type: Type.parse(row.type),
    identifier: String(row.identifier),
    refused: Number(row.refused),
    classes: Classes.parse(JSON.parse(String(row.classes))),
  }));
}
