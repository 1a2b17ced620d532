import type { Client } from '@libsql/client';
import { createFromSlots } from '@/lib/counters/counter-state';
import { type CounterBatch, type CounterSnapshot, parseWindowSeconds } from '@/lib/counters/transfer/counter-snapshot';
import { listHits } from '@/lib/limiter/sliding-counter';
import { computeStartOfMonth } from '@/lib/limiter/window';
import { splitInSteps } from '@/lib/split-in-steps';

/** Rows of one step. A window has up to 61. */
const STEP = 5_000;

const ROWS = 'select key, slot, hits, floor from counter_slots where (key, slot) > (?, ?) order by key, slot limit ?';
const SAVE = `
insert or replace into counter_slots (key, slot, hits, floor, expires)
select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 from json_each(?)`;

type Row = readonly [key: string, slot: number, hits: number, floor: number];

/** Opens the counters in the tables of a libSQL server. */
export function openServerSnapshot(client: Pick<Client, 'execute' | 'batch'>): CounterSnapshot {
  return {
    async *read() {
      let pending: Row[] = [];
      for (let after: [string, number] = ['', -1]; ; ) {
        const answer = await client.execute({ sql: ROWS, args: [...after, STEP] });
        const rows = answer.rows.map((row): Row => [String(row[0]), Number(row[1]), Number(row[2]), Number(row[3])]);
        const isLast = rows.length < STEP;
        pending.push(...rows);
        const last = pending.at(-1);
        if (last === undefined) return;
        // The last counter may continue in the next step.
        const whole = isLast ? pending : pending.filter(([key]) => key !== last[0]);
        yield buildBatch(whole);
        if (isLast) return;
        pending = pending.filter(([key]) => key === last[0]);
        after = [last[0], last[1]];
      }
    },
    async clear() {
      await client.batch(['delete from counter_slots'], 'write');
    },
    async write({ windows, months }) {
      const rows = months.map(({ key, counter: { month, hits, floor } }) => {
        return [key, month, hits, floor, computeStartOfMonth(month + 14)];
      });
      for (const { key, counter } of windows) {
        const seconds = parseWindowSeconds(key) ?? 0;
        for (const [age, hits] of listHits(counter).entries()) {
          const slot = counter.newest - age;
          if (hits > 0) rows.push([key, slot, hits, 0, ((slot + 62) * seconds * 1000) / 60]);
        }
      }
      const statements = [...splitInSteps(rows, STEP)].map((step) => ({ sql: SAVE, args: [JSON.stringify(step)] }));
      if (statements.length > 0) await client.batch(statements, 'write');
    },
  };
}

/** @param rows sorted by key and slot */
function buildBatch(rows: readonly Row[]): CounterBatch {
  const windows = new Map<string, [number, number][]>();
  const months: CounterBatch['months'][number][] = [];
  for (const [key, slot, hits, floor] of rows) {
    if (parseWindowSeconds(key) === null) months.push({ key, counter: { kind: 'month', month: slot, hits, floor } });
    else windows.set(key, [...(windows.get(key) ?? []), [slot, hits]]);
  }
  return { windows: [...windows].map(([key, slots]) => ({ key, counter: createFromSlots(slots) })), months };
}
