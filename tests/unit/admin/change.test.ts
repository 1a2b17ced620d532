import { eq, isNull } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allowlist, audit } from '@/drizzle/schema';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { call } from '@/tests/fixtures/call';
import { testServices } from '@/tests/fixtures/services';

const IDENTIFIERS = ['192.0.2.1', '192.0.2.2', '2001:db8::/33'];

const asked = fc.record({
  process: fc.nat(1),
  kind: fc.constantFrom('add', 'remove', 'invalid'),
  identifier: fc.constantFrom(...IDENTIFIERS),
  /** Of the `Idempotency-Key`; equal requests with equal keys are one. */
  key: fc.option(fc.nat(2), { nil: null }),
});

describe('changes that are asked for at once, of two processes on one file', () => {
  it('leave what their records say, one after the other, and fail alone', async () => {
    using file = await testServices();
    const processes = [file.services, await file.another()];
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 2, maxLength: 12 }), async (requests) => {
        run += 1;
        const before = (await records()).length;
        const answers = await Promise.all(
          requests.map(async ({ process, kind, identifier, key }) => {
            const services = processes[process] ?? file.services;
            const headers: Record<string, string> =
              key === null ? {} : { 'Idempotency-Key': `${run}-${kind}-${identifier}-${key}` };
            const target = { type: 'ip', identifier };
            if (kind === 'remove') return call(services, removeAllowlistEntry, { body: target, headers });
            const expiry = kind === 'invalid' ? { expires_at: '2001-01-01T00:00:00Z' } : {};
            return call(services, addAllowlistEntry, { body: { ...target, reason: 'test', ...expiry }, headers });
          }),
        );
        const wanted = { add: [200, 201], remove: [204, 404], invalid: [400] };
        for (const [i, answer] of answers.entries())
          expect(wanted[requests[i]?.kind ?? 'add']).toContain(answer.status);

        // Each process decides by its own changes, although it may not be able to read the database any more.
        for (const [i, { headers }] of answers.entries()) {
          if (headers.get('idempotency-replayed') !== null) continue;
          const { revision } = processes[requests[i]?.process ?? 0]?.rules.current ?? { revision: 0 };
          expect(revision).toBeGreaterThanOrEqual(Number(headers.get('x-audit-seq')));
        }

        // Each number that an answer names is a record, and each record is of one request.
        const made = (await records()).slice(before);
        const numbers = new Set(answers.map(({ headers }) => headers.get('x-audit-seq')).filter((seq) => seq !== null));
        expect(new Set(made.map(({ seq }) => String(seq)))).toEqual(numbers);
        const fresh = answers.filter(
          ({ status, headers }) => status < 300 && headers.get('idempotency-replayed') === null,
        );
        expect(made).toHaveLength(fresh.length);

        // Replayed in their order, the records leave what is in the table.
        const model = new Set<string>();
        for (const { action, target } of await records()) {
          expect(model.has(target)).toBe(action !== 'allowlist.add');
          if (action === 'allowlist.remove') model.delete(target);
          else model.add(target);
        }
        const rows = await file.services.database.drizzle.select().from(allowlist).where(isNull(allowlist.removedAt));
        expect(new Set(rows.map(({ identifier }) => identifier))).toEqual(model);
        expect(rows).toHaveLength(model.size);
        for (const services of processes)
          expect((await services.rules.readFresh()).revision).toBe((await records()).at(-1)?.seq ?? 0);
      }),
      { numRuns: 8 },
    );
    expect((await call(file.services, verifyAuditLog)).json).toMatchObject({ valid: true });

    function records() {
      return file.services.database.drizzle
        .select({ seq: audit.seq, action: audit.action, target: audit.target })
        .from(audit)
        .where(eq(audit.targetType, 'allowlist'))
        .orderBy(audit.seq);
    }
  });
});
