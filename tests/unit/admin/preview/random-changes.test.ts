import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { undoChange } from '@/lib/admin/undo/undo';
import type { Services } from '@/lib/operation/services';
import { type Answer, type CallOptions, call } from '@/tests/fixtures/call';
import { everything } from '@/tests/fixtures/everything';
import { prepared, randomFinalStep, randomPromotion, randomStep, send } from '@/tests/fixtures/random-changes';
import { runs } from '@/tests/fixtures/runs';
import { testServices } from '@/tests/fixtures/services';

const MADE = ['secret', 'secrets', 'token', 'url', 'recovery_codes'];

/** Ids and secrets are made anew each time, and prefixes are those of secrets. */
const withoutIds = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, member) => (name === 'prefix' ? 'a prefix' : member)).replaceAll(
      /[0-9a-f]{8}-[0-9a-f-]{27}/g,
      'an id',
    ),
  );

/** An answer without what a dry run does not make: secrets, and numbers of records. */
const withoutMade = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value ?? null, (name, member) =>
      MADE.includes(name) ? null : name === 'audit_seq' ? undefined : member,
    ),
  );

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

const anyStep = fc.oneof(
  { weight: 34, arbitrary: randomStep },
  { weight: 10, arbitrary: randomFinalStep },
  { weight: 2, arbitrary: randomPromotion },
);
/** Of a sequence: most of them are changes. */
const STEPS = { minLength: 25, maxLength: 40, size: 'max' } as const;

describe('a dry run of any change', () => {
  it('changes nothing, and foretells the answer and the records of the change', async () => {
    const compared = { made: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, STEPS), async (steps) => {
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
            compared.refused += 1;
            expect(refusal(real)).toEqual(refusal(foretold));
            continue;
          }
          compared.made += 1;
          const { status, value, changes } = foretold.json;
          expect({ status, value: withoutIds(withoutMade(value)) }).toEqual({
            status: real.status,
            value: withoutIds(withoutMade(real.json)),
          });
          const shown = changes.map(({ effect: _, ...change }: { effect?: string }) => change);
          expect(withoutIds(shown)).toEqual(withoutIds(await recorded(services, seq + 1)));
        }
      }),
      runs(8),
    );
    // 2,000 and more with SLUICE_TEST_RUNS=10.
    process.stdout.write(`${compared.made} changes and ${compared.refused} refusals were foretold.\n`);
    expect(compared.made + compared.refused).toBeGreaterThanOrEqual(21 * runs(8).numRuns);
    expect(compared.made).toBeGreaterThan(compared.refused / 2);
  });
});
