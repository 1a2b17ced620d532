import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { undoChange } from '@/lib/admin/undo/undo';
import type { Services } from '@/lib/operation/services';
import { call } from '@/tests/fixtures/call';
import { prepared, randomPromotion, randomStep, send } from '@/tests/fixtures/random-changes';
import { rulesIn } from '@/tests/fixtures/rules-in';
import { runs } from '@/tests/fixtures/runs';
import { testServices } from '@/tests/fixtures/services';

const undo = (services: Services, seq: number) => call(services, undoChange, { params: { seq: String(seq) } });

/** The records from a number on, the newest first. */
async function recordsFrom({ database }: Services, seq: number) {
  const { rows } = await database.client.execute({
    sql: 'select seq, action, undoes from audit where seq >= ? order by seq desc',
    args: [seq],
  });
  return rows.map((row) => ({
    ...{ seq: Number(row.seq), action: String(row.action) },
    undoes: row.undoes === null ? null : Number(row.undoes),
  }));
}

const anyStep = fc.oneof({ weight: 34, arbitrary: randomStep }, { weight: 3, arbitrary: randomPromotion });
const RESETS = ['counters.reset.undo', 'quota.reset.undo'];

describe('any changes, taken back newest first', () => {
  it('end where they began: the same ids, creators, times, reasons and expiries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 5, maxLength: 30, size: 'max' }), async (steps) => {
        using test = await testServices();
        const { services, clock } = test;
        const ids = await prepared(services);
        // The mark of a state document stays: its next apply would set it again.
        const start = await rulesIn(services.database, false);
        const [newest] = await recordsFrom(services, 0);
        const first = (newest?.seq ?? 0) + 1;
        let sent = 0;
        for (const next of steps) {
          clock.advance(1_000);
          if (next === 'request') {
            sent += 1;
            await send(services, ids, 1);
            continue;
          }
          const [last] = await recordsFrom(services, first);
          if (next === 'undo' && last === undefined) continue;
          const answer = next === 'undo' ? await undo(services, last?.seq ?? 0) : await call(services, ...next(ids));
          if (answer.status >= 300) expect([400, 404, 409], answer.text).toContain(answer.status);
        }
        const done = new Set<number>();
        for (const { seq, action, undoes } of await recordsFrom(services, first)) {
          if (done.has(seq)) continue;
          if (RESETS.includes(action)) {
            // The undo of a reset has no undo of its own: both are done with.
            done.add(undoes ?? 0);
            continue;
          }
          const [before] = await recordsFrom(services, first);
          const { status, json } = await undo(services, seq);
          expect([status, json], `change ${seq}, ${action}`).toMatchObject([200, { undoes: seq }]);
          // A promotion is taken back with both halves.
          for (const record of await recordsFrom(services, (before?.seq ?? 0) + 1)) done.add(record.undoes ?? 0);
        }
        expect(await rulesIn(services.database, false)).toEqual(start);
        expect(await send(services, ids, 0)).toEqual([sent, sent, sent]);
      }),
      runs(10),
    );
  });
});
