import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { undoChange } from '@/lib/admin/undo/undo';
import type { Services } from '@/lib/operation/services';
import { call } from '@/tests/fixtures/call';
import { prepared, randomStep, send } from '@/tests/fixtures/random-changes';
import { rulesIn } from '@/tests/fixtures/rules-in';
import { runs } from '@/tests/fixtures/runs';
import { testServices } from '@/tests/fixtures/services';

const undo = (services: Services, seq: number) => call(services, undoChange, { params: { seq: String(seq) } });

describe('any changes, taken back newest first', () => {
  it('end where they began: the same ids, creators, times, reasons and expiries', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(randomStep, { minLength: 1, maxLength: 25 }), async (steps) => {
        using test = await testServices();
        const { services, clock } = test;
        const ids = await prepared(services);
        const start = await rulesIn(services.database);
        const made: number[] = [];
        const resets = new Set<number>();
        let sent = 0;
        for (const next of steps) {
          clock.advance(1_000);
          const last = made.at(-1);
          if (next === 'undo' && last === undefined) continue;
          if (next === 'request') {
            sent += 1;
            await send(services, ids, 1);
            continue;
          }
          const planned = next === 'undo' ? null : next(ids);
          const answer = planned === null ? await undo(services, last ?? 0) : await call(services, ...planned);
          const seq = Number(answer.headers.get('X-Audit-Seq'));
          // The undo of a reset has no undo of its own: both are done with.
          if (answer.status < 300 && next === 'undo' && resets.has(last ?? 0)) made.pop();
          else if (answer.status < 300) made.push(seq);
          if (planned !== null && [resetCounters, resetQuota].some((reset) => reset === planned[0])) resets.add(seq);
          if (answer.status >= 300) expect([400, 404, 409]).toContain(answer.status);
        }
        for (const seq of made.reverse()) {
          const { status, json } = await undo(services, seq);
          expect([status, json], `change ${seq}`).toMatchObject([200, { undoes: seq }]);
        }
        expect(await rulesIn(services.database)).toEqual(start);
        expect(await send(services, ids, 0)).toEqual([sent, sent, sent]);
      }),
      runs(25),
    );
  });
});
