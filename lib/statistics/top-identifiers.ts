import { z } from 'zod';
import type { TopRefusedIdentifier } from '@/lib/contract/statistics';
import type { Database } from '@/lib/db/database';
import type { EndpointClass } from '@/lib/limiter/meter';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import { IS_COUNT } from '@/lib/statistics/decision-series';
import { type RollupStep, splitSpan } from '@/lib/statistics/step';
import type { Millis } from '@/lib/units';

/** A reader of the list, with its own position: the counts of the minute, or those of longer steps. */
type Reader = 'minute' | 'longer';

interface Entry {
  type: string;
  identifier: string;
  /** Null if only named limits decided. */
  class: EndpointClass | null;
  /** Refusals since the identifier entered the list: a lower bound. */
  hits: number;
  /** Counter of the Misra-Gries algorithm. At 0 the entry is removed. */
  weight: number;
  /** Part of `hits` that each reader has taken. */
  taken: Record<Reader, number>;
}

/**
 * The most refused identifiers in bounded memory (Misra and Gries, "Finding repeated elements", 1982). The list holds
 * every identifier with more than 1/capacity of all refusals. An attacker with a million addresses cannot make it grow.
 * Adding takes amortised O(1).
 */
export class TopIdentifiers {
  readonly #entries = new Map<string, Entry>();

  constructor(private readonly capacity = 1_024) {}

  add(type: string, identifier: string, endpointClass: EndpointClass | null): void {
    const key = `${type}|${endpointClass ?? ''}|${identifier}`;
    const existing = this.#entries.get(key);
    if (existing !== undefined) {
      existing.hits += 1;
      existing.weight += 1;
    } else if (this.#entries.size < this.capacity) {
      const first = { hits: 1, weight: 1, taken: { minute: 0, longer: 0 } };
      this.#entries.set(key, { type, identifier, class: endpointClass, ...first });
    } else {
      for (const [other, entry] of this.#entries) {
        entry.weight -= 1;
        if (entry.weight === 0) this.#entries.delete(other);
      }
    }
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0;
  }

  /** Returns up to `most` identifiers with refusals since this reader's last call, most refused first. */
  take(most: number, reader: Reader): Omit<Entry, 'weight' | 'taken'>[] {
    const fresh = [...this.#entries.values()].filter((entry) => entry.hits > entry.taken[reader]);
    fresh.sort((a, b) => b.hits - a.hits);
    return fresh.slice(0, most).map((entry) => {
      const hits = entry.hits - entry.taken[reader];
      entry.taken[reader] = entry.hits;
      return { type: entry.type, identifier: entry.identifier, class: entry.class, hits };
    });
  }
}

const PIECE = `select type, identifier, class, count from refused_identifiers
  where step = ? and start >= ? and start < ? and ${IS_COUNT} and typeof(identifier) = 'text'
  and (type in ('ip', 'client', 'user', 'quota', 'global') or (type = 'limit' and instr(identifier, '|') > 1))
  and class in (${['', ...ENDPOINT_CLASSES].map((name) => `'${name}'`).join(', ')})`;
const Type = z.enum(['ip', 'client', 'user', 'limit', 'quota', 'global']);
const Counts = z.partialRecord(z.enum(['', ...ENDPOINT_CLASSES]), z.int());

/** Splits the identifier of a named limit, `sms|+4670123`, into the name of the limit and its subject. */
export function splitLimitSubject(text: string): { name: string; subject: string } {
  const place = text.indexOf('|');
  return { name: text.slice(0, place), subject: text.slice(place + 1) };
}

/**
 * Reads the most refused identifiers from `from` to before `to`. It adds up whole days, the hours around them and the
 * minutes around those, so a year is as fast as an hour.
 */
export async function readTopRefused(
  database: Database,
  from: Millis,
  to: Millis,
  finest: RollupStep,
  most: number,
): Promise<Omit<TopRefusedIdentifier, 'api_key_name'>[]> {
  const pieces = splitSpan(from, to, finest);
  if (most === 0 || pieces.length === 0) return [];
  const sql = `
    select type, identifier, sum(count) as refused, json_group_object(class, count) as classes from (
      select type, identifier, class, sum(count) as count from (${pieces.map(() => PIECE).join(' union all ')}) group by 1, 2, 3)
    group by 1, 2 order by refused desc, type, identifier limit ?`;
  const args = [...pieces.flatMap(({ step, start, end }) => [step, start, end]), most];
  const { rows } = await database.client.execute({ sql, args });
  return rows.map((row) => {
    const type = Type.parse(row.type);
    const named = type === 'limit' ? splitLimitSubject(String(row.identifier)) : null;
    // Decisions by named limits only have the empty class.
    const { '': _, ...classes } = Counts.parse(JSON.parse(String(row.classes)));
    return {
      type,
      identifier: named?.subject ?? String(row.identifier),
      limit_name: named?.name ?? null,
      refused: Number(row.refused),
      classes,
    };
  });
}
