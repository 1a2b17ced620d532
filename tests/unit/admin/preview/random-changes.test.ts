import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { undoChange } from '@/lib/admin/undo/undo';
import type { Services } from '@/lib/operation/services';
import { type Answer, type CallOptions, call } from '@/tests/fixtures/call';
import { prepared, randomPromotion, randomStep, send } from '@/tests/fixtures/random-changes';
import { runs } from '@/tests/fixtures/runs';
import { testServices } from '@/tests/fixtures/services';

/** All rows of all tables. */
async function everything({ database }: Services): Promise<string> {
  const { rows } = await database.client.execute(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name",
  );
  const tables = await Promise.all(rows.map(({ name }) => database.client.execute(`select * from "${name}"`)));
  return JSON.stringify(tables.map((table) => table.rows));
}

/** Ids are made anew each time. */
const withoutIds = (value: unknown) =>
  JSON.parse(JSON.stringify(value ?? null).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'an id'));

/** The audit records from a number on, as a preview shows them. */
async function recorded({ database }: Services, seq: number) {
  const { rows } = await database.client.execute({
    sql: 'select action, target_type, target, before, after from audit where seq >= ? order by seq',
    args: [seq],
  });
  return rows.map((row) => ({
    ...{ action: row.action, target_type: row.target_type, target: row.target },
    ...{ before: JSON.parse(String(row.before ?? 'null')), after: JSON.parse(String(row.after ?? 'null')) },
  }));
}

const newest = async ({ database }: Services) =>
  Number((await database.client.execute('select max(seq) as seq from audit')).rows[0]?.seq);

/** What is refused is refused alike, at its own time. */
const refusal = ({ status, json }: Answer) => [status, json.error, json.error_description];

describe('a dry run of any change', () => {
  it('changes nothing, and foretells the answer and the records of the change', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 18, arbitrary: randomStep }, randomPromotion), { minLength: 1, maxLength: 20 }),
        async (steps) => {
          using test = await testServices();
          const { services, clock } = test;
          const ids = await prepared(services);
          for (const step of steps) {
            clock.advance(1_000);
            if (step === 'request') {
              await send(services, ids, 1);
              continue;
            }
            const seq = await newest(services);
            const undo: CallOptions = { params: { seq: String(seq) } };
            const [operation, options] = step === 'undo' ? ([undoChange, undo] as const) : step(ids);
            const before = await everything(services);
            const foretold = await call(services, operation, { ...options, query: { dry_run: 'true' } });
            expect(await everything(services)).toBe(before);
            expect(foretold.headers.get('X-Audit-Seq')).toBeNull();
            const real = await call(services, operation, options);
            if (foretold.status !== 200) {
              expect(refusal(real)).toEqual(refusal(foretold));
              continue;
            }
            const { status, value, changes } = foretold.json;
            expect({ status, value: withoutIds(value) }).toEqual({ status: real.status, value: withoutIds(real.json) });
            const shown = changes.map(({ effect: _, ...change }: { effect?: string }) => change);
            expect(withoutIds(shown)).toEqual(withoutIds(await recorded(services, seq + 1)));
          }
        },
      ),
      runs(10),
    );
  });
});
