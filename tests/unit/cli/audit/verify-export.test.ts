import { describe, expect, it } from 'vitest';
import { verifyExport } from '@/cli/audit/verify-export';
import { buildAuditRecord } from '@/lib/admin/audit-log/record';
import { computeAuditHash, GENESIS_HASH, type HashedRecord } from '@/lib/admin/change';

/** A log as it is exported, oldest first. */
function exported(count: number) {
  let previousHash = GENESIS_HASH;
  return Array.from({ length: count }, (_, index) => {
    const row: HashedRecord = {
      seq: index + 1,
      at: 1_763_800_000_123 + index,
      actor: 'bootstrap',
      actorName: 'Ünïcode "quoted"',
      action: 'allowlist.add',
      targetType: 'allowlist',
      target: `192.0.2.${index}`,
      before: index % 2 === 0 ? null : JSON.stringify({ b: 1.5, a: [null, 'x'], '1': true, text: ' </script>' }),
      after: JSON.stringify('a text'),
      reason: index % 3 === 0 ? null : 'because',
      requestId: 'request',
      address: null,
      undoes: index === 3 ? 2 : null,
    };
    const hash = computeAuditHash(previousHash, row);
    const beside = { target_name: null, target_name_now: null, undo: { possible: false } };
    const record = buildAuditRecord({ ...row, previousHash, hash }, beside);
    previousHash = hash;
    return record;
  });
}

async function* lines(records: readonly unknown[]) {
  for (const record of records) yield JSON.stringify(record);
  yield '';
}

describe('an exported audit log', () => {
  const log = exported(6);
  const head = { seq: 6, hash: log[5]?.hash ?? '' };

  it('is whole, in either order', async () => {
    const whole = { valid: true, records: 6, head, first_seq: 1 };
    expect(await verifyExport(lines(log))).toEqual(whole);
    expect(await verifyExport(lines([...log].reverse()), head)).toEqual(whole);
  });

  it('may begin later: then it says where', async () => {
    expect(await verifyExport(lines(log.slice(3)))).toMatchObject({ valid: true, records: 3, first_seq: 4 });
  });

  it.each([
    [
      'an altered value',
      log.map((record) => (record.seq === 2 ? { ...record, reason: 'another' } : record)),
      2,
      'altered',
    ],
    [
      'an altered time',
      log.map((record) => (record.seq === 4 ? { ...record, at: '2026-11-22T00:00:00.000Z' } : record)),
      4,
      'altered',
    ],
    [
      'another spelling of a time',
      log.map((record) => (record.seq === 4 ? { ...record, at: record.at.replace('Z', '+00:00') } : record)),
      4,
      'altered',
    ],
    ['a record that is gone', log.filter(({ seq }) => seq !== 3), 3, 'missing'],
    [
      'a chain that was begun anew',
      [
        ...log.slice(0, 3),
        ...exported(6)
          .slice(3)
          .map((r) => ({ ...r, previous_hash: 'f'.repeat(64) })),
      ],
      4,
      'altered',
    ],
  ])('shows %s', async (_, records, seq, problem) => {
    for (const order of [records, [...records].reverse()])
      expect(await verifyExport(lines(order))).toMatchObject({ valid: false, first_invalid: { seq, problem } });
  });

  it('shows against an earlier head that its end was cut, or that it was rewritten', async () => {
    expect(await verifyExport(lines(log.slice(0, 4)), head)).toMatchObject({
      first_invalid: { seq: 6, problem: 'truncated' },
    });
    const other = { seq: 6, hash: 'f'.repeat(64) };
    expect(await verifyExport(lines(log), other)).toMatchObject({ first_invalid: { seq: 6, problem: 'rewritten' } });
  });

  it('is no export where a line is something else', async () => {
    await expect(verifyExport(lines([{ id: 1 }]))).rejects.toThrow('Line 1 is no record of an audit log.');
  });
});
