import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createUsageFailure } from '@/cli/failure';
import type { AuditRecord, AuditVerification } from '@/lib/contract/audit-log';
import { TimestampSchema } from '@/lib/contract/fields/timestamp';

/** Hash that precedes the first record. */
const GENESIS_HASH = '0'.repeat(64);

/** Result of verifying an export: the server's result, and where the export begins. */
export interface ExportVerification extends AuditVerification {
  /** Oldest record of the export. The chain is complete if it is 1. */
  first_seq: number;
}

/** Fields of an exported record that the hash needs. */
type Exported = Pick<AuditRecord, 'seq' | 'previous_hash' | 'hash'> & Record<string, unknown>;

/**
 * Verifies the hash chain of an audit log exported as JSON lines, newest or oldest first, without a server. It checks
 * each record against its own hash and its predecessor. An export of selected records is not a chain.
 * @param head the newest record of an earlier verification, which the export must contain
 * @throws Failure if a line is not a record
 */
export async function verifyExport(
  lines: AsyncIterable<string>,
  head?: { hash: string; seq: number | undefined },
): Promise<ExportVerification> {
  let records = 0;
  let neighbour: Exported | undefined;
  let newest: Exported | undefined;
  let oldest: Exported | undefined;
  let met = head === undefined;
  let problem: AuditVerification['first_invalid'];
  const note = (seq: number, what: NonNullable<typeof problem>['problem']) => {
    if (problem === undefined || seq < problem.seq) problem = { seq, problem: what };
  };
  for await (const line of lines) {
    if (line.trim() === '') continue;
    const record = parseRecord(line, records + 1);
    records += 1;
    if (computeHash(record) !== record.hash) note(record.seq, 'altered');
    if (neighbour !== undefined) {
      const [older, younger] = record.seq > neighbour.seq ? [neighbour, record] : [record, neighbour];
      if (younger.seq !== older.seq + 1) note(older.seq + 1, 'missing');
      else if (younger.previous_hash !== older.hash) note(younger.seq, 'unlinked');
    }
    if (record.seq === 1 && record.previous_hash !== GENESIS_HASH) note(1, 'unlinked');
    if (head !== undefined && record.hash === head.hash && (head.seq ?? record.seq) === record.seq) met = true;
    if (newest === undefined || record.seq > newest.seq) newest = record;
    if (oldest === undefined || record.seq < oldest.seq) oldest = record;
    neighbour = record;
  }
  if (!met && head !== undefined) {
    const isTooShort = head.seq !== undefined && head.seq > (newest?.seq ?? 0);
    note(head.seq ?? newest?.seq ?? 0, isTooShort ? 'truncated' : 'rewritten');
  }
  return {
    valid: problem === undefined,
    records,
    head: { seq: newest?.seq ?? 0, hash: newest?.hash ?? GENESIS_HASH },
    first_seq: oldest?.seq ?? 0,
    ...(problem === undefined ? {} : { first_invalid: problem }),
  };
}

export function readFileLines(file: string): AsyncIterable<string> {
  return createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY });
}

function parseRecord(line: string, number: number): Exported {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The check below rejects it.
  }
  const { seq, previous_hash: previous, hash } = (value ?? {}) as Partial<Exported>;
  if (typeof seq !== 'number' || typeof previous !== 'string' || typeof hash !== 'string')
    throw createUsageFailure(
      `Line ${number} is no record of an audit log.`,
      'Export it with `sluice audit export --format jsonl`.',
    );
  return value as Exported;
}

/**
 * Parses a time in the spelling that Sluice exports. Any other spelling was written by another program, so it is null.
 */
function parseMilliseconds(at: unknown): number | null {
  const { data } = TimestampSchema.safeParse(at);
  return data === undefined ? null : Date.parse(data);
}

/**
 * Computes SHA-256 over the previous hash and the columns as a JSON array. The undone record comes last, if there is
 * one.
 */
function computeHash(record: Exported): string {
  const { seq, at, actor, actor_name, action, target_type, target, before, after, reason, request_id, address } =
    record;
  const what = [action, target_type, target, encodeJson(before), encodeJson(after), reason];
  const undoes = record.undoes === null || record.undoes === undefined ? [] : [record.undoes];
  const columns = [record.previous_hash, seq, parseMilliseconds(at), actor, actor_name, ...what, request_id, address];
  return createHash('sha256')
    .update(JSON.stringify([...columns, ...undoes]))
    .digest('hex');
}

/** Encodes a value as the log stores it: as JSON, null if missing. */
const encodeJson = (value: unknown): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);
