import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import type { Context } from '@/lib/operation/context';
import { list } from '@/lib/operation/list';

const CHUNKS = 4;
const ROWS = 3;

it('however many lists are read, one turn of the event loop reads one chunk of one of them', async () => {
  let turn = 0;
  const tick = () => {
    turn += 1;
    next = setImmediate(tick);
  };
  let next = setImmediate(tick);
  const turns: number[] = [];
  const read = async (_: Context, { limit }: { limit: number }) => {
    turns.push(turn);
    const left = turns.length > 10 * (CHUNKS - 1) ? 0 : limit;
    return Array.from({ length: left }, (_, row) => ({ id: turns.length * ROWS + row }));
  };
  const download = { name: 'rows', columns: [['id', (row: { id: number }) => row.id]] as const };
  const answer = list({
    ...{ read, download, chunk: ROWS, order: '', where: () => undefined },
    id: { sql: sql`id`, of: (row) => row.id },
  });
  const context = { facts: { headers: new Headers() }, services: {}, now: 0 } as unknown as Context;
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => answer(context, { query: { format: 'csv' } }) as Promise<Response>),
  );
  const texts = await Promise.all(answers.map((response) => response.text()));
  clearImmediate(next);
  expect(texts.join('').match(/^\d+$/gm)).toHaveLength(10 * (CHUNKS - 1) * ROWS);
  expect(turns).toHaveLength(10 * CHUNKS);
  expect(new Set(turns).size).toBe(turns.length);
});
