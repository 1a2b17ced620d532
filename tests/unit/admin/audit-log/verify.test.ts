import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyAudit } from '@/lib/admin/audit-log/verify';
import { computeAuditHash, GENESIS_HASH } from '@/lib/admin/change';
import type { AuditRow } from '@/lib/admin/change-kind/record';

const START = Date.UTC(2026, 10, 20, 12);

function chain(length: number, seed = ''): AuditRow[] {
  const rows: AuditRow[] = [];
  for (let seq = 1; seq <= length; seq += 1) {
    const record = {
      seq,
      at: START + seq * 1_000,
      actor: `member:${seq % 3}`,
      actorName: 'owner@example.com',
      action: seq % 2 === 0 ? 'allowlist.add' : 'quota.reset',
      targetType: 'allowlist',
      target: `198.51.100.${seq}${seed}`,
      before: seq % 4 === 0 ? '{"reason":"old"}' : null,
      after: '{"reason":"new"}',
      reason: seq % 5 === 0 ? null : 'because',
      requestId: `request-${seq}`,
      address: '203.0.113.7',
      undoes: seq % 7 === 0 ? seq - 1 : null,
    };
    const previousHash = rows.at(-1)?.hash ?? GENESIS_HASH;
    rows.push({ ...record, previousHash, hash: computeAuditHash(previousHash, record) });
  }
  return rows;
}

const reader = (rows: readonly AuditRow[]) => async (after: number, limit: number) => {
  const sorted = [...rows].sort((a, b) => a.seq - b.seq);
  return sorted.filter((row) => row.seq > after).slice(0, limit);
};

const LENGTH = 60;
const rows = chain(LENGTH);
const head = { hash: rows.at(-1)!.hash, seq: LENGTH };
const place = fc.integer({ min: 0, max: LENGTH - 1 });

const text = fc.string({ maxLength: 20 });
const columns = [
  'actor',
  'actorName',
  'action',
  'targetType',
  'target',
  'before',
  'after',
  'reason',
  'requestId',
  'address',
  'previousHash',
  'hash',
] as const;

type Tampering = (rows: AuditRow[]) => AuditRow[];

const edits: fc.Arbitrary<Tampering> = fc.tuple(place, fc.constantFrom(...columns), fc.option(text)).map(
  ([at, column, value]) =>
    (all) =>
      all.map((row, index) => (index === at ? ({ ...row, [column]: value } as AuditRow) : row)),
);
const shifts: fc.Arbitrary<Tampering> = fc.tuple(place, fc.integer({ min: -1_000_000, max: 1_000_000 })).map(
  ([at, by]) =>
    (all) =>
      all.map((row, index) => (index === at ? { ...row, at: row.at + by } : row)),
);
const deletions: fc.Arbitrary<Tampering> = fc
  .tuple(place, fc.integer({ min: 1, max: 5 }))
  .map(([at, count]) => (all) => [...all.slice(0, at), ...all.slice(at + count)]);
const reorders: fc.Arbitrary<Tampering> = fc.tuple(place, place).map(([a, b]) => (all) => {
  const first = all[a]!;
  const other = all[b]!;
  return all.map((row, index) =>
    index === a ? { ...other, seq: first.seq } : index === b ? { ...first, seq: other.seq } : row,
  );
});
const truncations: fc.Arbitrary<Tampering> = place.map((at) => (all) => all.slice(0, at));
const rewrites: fc.Arbitrary<Tampering> = fc.tuple(place, text).map(([at, value]) => (all) => {
  const forged = [...all.slice(0, at)];
  for (const row of all.slice(at)) {
    const changed = { ...row, reason: row.seq === at + 1 ? `${value}!` : row.reason };
    const previousHash = forged.at(-1)?.hash ?? GENESIS_HASH;
    forged.push({ ...changed, previousHash, hash: computeAuditHash(previousHash, changed) });
  }
  return forged;
});
const renumberings: fc.Arbitrary<Tampering> = place.map((at) => (all) => [
  ...all.slice(0, at),
  ...all.slice(at + 1).map((row) => ({ ...row, seq: row.seq - 1 })),
]);

const same = (a: readonly AuditRow[], b: readonly AuditRow[]) => JSON.stringify(a) === JSON.stringify(b);

describe('the audit log', () => {
  it('is whole when nobody touched it', async () => {
    expect(await verifyAudit(reader(rows))).toEqual({
      valid: true,
      records: LENGTH,
      head: { seq: LENGTH, hash: head.hash },
    });
    expect(await verifyAudit(reader(rows), head)).toMatchObject({ valid: true });
    expect(await verifyAudit(reader(chain(80)), head)).toMatchObject({ valid: true, records: 80 });
    expect(await verifyAudit(reader(rows), { hash: rows[10]!.hash })).toMatchObject({ valid: true });
    expect(await verifyAudit(reader([]))).toEqual({ valid: true, records: 0, head: { seq: 0, hash: GENESIS_HASH } });
    expect(await verifyAudit(reader(rows), { hash: GENESIS_HASH, seq: 0 })).toMatchObject({ valid: true });
  });

  it('shows every one of 1,000 random edits, deletions, reorders, truncations and rewrites, given the last exported head', async () => {
    let tampered = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(edits, shifts, deletions, reorders, truncations, rewrites, renumberings),
        async (tamper) => {
          const after = tamper(rows);
          fc.pre(!same(after, rows));
          tampered += 1;
          expect((await verifyAudit(reader(after), head)).valid).toBe(false);
        },
      ),
      { numRuns: 1_000, seed: 20261120 },
    );
    expect(tampered).toBe(1_000);
  });

  it('names the first record that is wrong, and what is wrong with it', async () => {
    const invalid = async (after: AuditRow[], expected: typeof head | undefined = undefined) =>
      (await verifyAudit(reader(after), expected)).first_invalid;
    expect(await invalid(rows.map((row) => (row.seq === 7 ? { ...row, target: 'x' } : row)))).toEqual({
      seq: 7,
      problem: 'altered',
    });
    expect(await invalid(rows.filter((row) => row.seq !== 7))).toEqual({ seq: 7, problem: 'missing' });
    expect(await invalid(rows.map((row) => (row.seq === 7 ? { ...row, previousHash: head.hash } : row)))).toEqual({
      seq: 7,
      problem: 'unlinked',
    });
    expect(await invalid(rows.slice(0, 50), head)).toEqual({ seq: 51, problem: 'truncated' });
    expect(await invalid(chain(LENGTH, '0'), head)).toEqual({ seq: LENGTH, problem: 'rewritten' });
  });

  it('cannot show a truncation without a head, which is why there is one', async () => {
    expect((await verifyAudit(reader(rows.slice(0, 50)))).valid).toBe(true);
  });

  it('lets others run while it walks', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await verifyAudit(reader(chain(5_000)));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
  });
});
