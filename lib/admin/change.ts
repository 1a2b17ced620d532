import { createHash, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { audit } from '@/drizzle/schema';
import type { AuditAction, UndoAction } from '@/lib/contract/audit-actions';
import type { ForeseenChange } from '@/lib/contract/preview';
import type { CounterChange } from '@/lib/counters/store';
import type { Database, Statement } from '@/lib/db/database';
import { ConstraintViolation } from '@/lib/db/errors';
import { insertRows } from '@/lib/db/insert-rows';
import { newestRevision } from '@/lib/db/newest-revision';
import { ApiError } from '@/lib/http/api-error';
import { withoutTokens } from '@/lib/logging/without-tokens';
import { type Context, Previewed } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** What the audit log keeps of a change. `before` and `after` are plain JSON values without secrets. */
export interface AuditEntry {
  action: AuditAction | UndoAction;
  /** By default what stands before the dot in `action`. */
  targetType?: string;
  target: string;
  before?: unknown;
  after?: unknown;
  reason?: string | null;
  /** The `seq` of the record that this change takes back. */
  undoes?: number;
}

/** A planned change: what is written with its audit records, in one transaction. */
interface PlannedChange<T> {
  /**
   * One entry, or one for each of several changes that are made together: the record of entry `i` has the number
   * `revision + i`, which the rows of that entry carry. Without any, nothing that decides may be written.
   */
  audit: AuditEntry | readonly AuditEntry[];
  statements?: Statement[];
  /** Changes of counters that belong to it. */
  counters?: CounterChange[];
  result: T;
}

/** The audit record before the first one. */
export const GENESIS_HASH = '0'.repeat(64);

const MAX_ATTEMPTS = 25;
/** Records that are made in one turn of the event loop: decisions are made between. */
const TURN = 500;

/** The columns of a record that its hash covers. */
export type HashedRecord = Omit<typeof audit.$inferSelect, 'previousHash' | 'hash'>;

/** SHA-256 (hex) over the hash before it and the record's columns as a JSON array. */
export function auditHash(previousHash: string, record: HashedRecord): string {
  const { seq, at, actor, actorName, action, targetType, target, before, after, reason, requestId, address } = record;
  const what = [action, targetType, target, before, after, reason];
  // The chain was begun before changes could be taken back.
  const undoes = record.undoes === null ? [] : [record.undoes];
  const columns = [previousHash, seq, at, actor, actorName, ...what, requestId, address, ...undoes];
  return createHash('sha256').update(JSON.stringify(columns)).digest('hex');
}

/** What a plan throws when another process has made its change, or another one, meanwhile. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/**
 * Makes a change, or several together, and an audit record of each in one transaction.
 *
 * `plan` reads what it needs and says what to write. The first audit record takes the number after the newest one, read
 * before `plan` ran, and the others follow it; when another process made a change in between, that number is taken,
 * nothing is written, and `plan` runs again on what is there now. So every change is made on the state it has read (it
 * is serialisable), on an embedded file and on a server alike, without a transaction that stays open.
 *
 * On an embedded file the next change is planned while this one is brought to the disk, so that those which wait at once
 * share that (docs/decisions/0012-changes-share-a-sync.md). None is answered before it is durable. Changes of one process
 * wait for each other; those of other processes are noticed by the sequence number.
 *
 * @param plan gets the number of the first record, which the rows it writes must carry; refuses by throwing an ApiError
 * @throws ApiError conflict when other processes kept being first; service_unavailable when the database file is not
 * the one at its path any more, where the change would vanish
 */
export async function change<T>(context: Context, plan: (revision: number) => Promise<PlannedChange<T>>): Promise<T> {
  const { database, counters, rules } = context.services;
  if (context.preview !== undefined) return foresee(context, context.preview, plan);
  const { result, newest } = await database.inTurn(() => commitChange(context, plan));
  await database.durable();
  if (newest !== undefined) await counters.publish(newest).catch((error: unknown) => rules.publishLater(newest, error));
  return result;
}

/**
 * Plans a change and makes none. Nobody waits for it. One on a trial is there for those that follow. Who asked for the
 * preview says whom it hits.
 * @throws Previewed
 */
async function foresee<T>(
  context: Context,
  preview: NonNullable<Context['preview']>,
  plan: (revision: number) => Promise<PlannedChange<T>>,
): Promise<never> {
  const { database } = context.services;
  const { trial } = database;
  const head = trial?.newest ?? (await newestRevision(database));
  const revision = (head?.seq ?? 0) + 1;
  const { audit: entries, statements = [], result } = await plan(revision);
  preview.push(...[entries].flat().map(toForeseen));
  if (trial === null) throw new Previewed(result);
  const records = await chained(context, [entries].flat(), revision, head?.hash ?? GENESIS_HASH);
  await database.commit([...insertRows(database, audit, records), ...statements]);
  trial.newest = records.at(-1) ?? head;
  throw new Previewed(result);
}

/** @returns the number of the last record, undefined when nothing was recorded; durable only with its actions */
async function commitChange<T>(
  context: Context,
  plan: (revision: number) => Promise<PlannedChange<T>>,
): Promise<{ result: T; newest: number | undefined }> {
  const { database } = context.services;
  if (!database.isInPlace()) {
    throw new ApiError(
      'service_unavailable',
      'The database file was deleted or replaced while Sluice ran; nothing was changed. Restart Sluice.',
      { headers: { 'Retry-After': '30' } },
    );
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    await context.once?.before();
    const head = await newestRevision(database);
    const revision = (head?.seq ?? 0) + 1;
    const { audit: entries, statements = [], counters: counterChanges = [], result } = await plan(revision);
    const records = await chained(context, [entries].flat(), revision, head?.hash ?? GENESIS_HASH);
    const recorded = insertRows(database, audit, records);
    if (records.length > TURN) await setImmediate();
    const newest = records.at(-1)?.seq;
    if (newest !== undefined) context.changed.seq = newest;
    const inTransaction = counterChanges.flatMap((counter) =>
      counter.kind === 'statements' ? counter.statements : [],
    );
    const actions = counterChanges.filter((counter) => counter.kind === 'action');
    const keepAnswer = (await context.once?.keep(result)) ?? [];
    try {
      await database.commit([
        ...recorded,
        ...statements,
        ...inTransaction.map((statement) => database.drizzle.run(statement)),
        ...(actions.length === 0 ? keepAnswer : []),
      ]);
    } catch (error) {
      if (error instanceof ConstraintViolation) continue;
      throw error;
    }
    if (actions.length > 0) {
      // What is changed elsewhere must have its record, and in the order of the records.
      await database.durable();
      for (const action of actions) await action.run();
      // An answer is kept only when all of its effect is there; an action that runs twice does no harm.
      await database.batch(keepAnswer).catch((error: unknown) => {
        // Another process kept the same answer a moment before.
        if (!(error instanceof ConstraintViolation)) throw error;
      });
    }
    return { result, newest };
  }
  throw new ApiError('conflict', 'Concurrent changes conflicted; nothing was changed.');
}

/** Of a context, what its audit records say. */
type Author = Pick<Context, 'actor' | 'reason' | 'requestId' | 'address'> & {
  services: Pick<Context['services'], 'clock'>;
};

/** A planned change of `changeFromOutside`. */
interface OutsideChange {
  audit: AuditEntry;
  statements: Statement[];
}

/**
 * As `change`, for a process that is no server: one entry, whose statements carry its number. The servers notice it with
 * their next group.
 * @throws ConstraintViolation when other processes kept being first; DatabaseUnavailable
 */
export async function changeFromOutside(
  database: Database,
  author: Pick<Author, 'actor' | 'reason'> & { clock: () => Millis },
  plan: (revision: number) => OutsideChange | Promise<OutsideChange>,
): Promise<number> {
  const { actor, reason, clock } = author;
  for (let attempt = 1; ; attempt += 1) {
    const head = await newestRevision(database);
    const revision = (head?.seq ?? 0) + 1;
    const { audit: entry, statements } = await plan(revision);
    const context = { actor, reason, requestId: randomUUID(), address: null, services: { clock } };
    const records = await chained(context, [entry], revision, head?.hash ?? GENESIS_HASH);
    try {
      await database.batch([...insertRows(database, audit, records), ...statements]);
      return revision;
    } catch (error) {
      if (!(error instanceof ConstraintViolation) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** As a preview shows it. */
function toForeseen({ action, targetType, target, before = null, after = null }: AuditEntry): ForeseenChange {
  return { action, target_type: targetType ?? typeOf(action), target, before, after };
}

/** What is changed: what stands before the dot. */
function typeOf(action: AuditEntry['action']): string {
  return action.replace(/[.].*/, '');
}

/** The records of entries, each linked to the one before it. @param hash of the newest record there is */
async function chained(context: Author, entries: readonly AuditEntry[], first: number, hash: string) {
  const at = context.services.clock();
  let previousHash = hash;
  const rows: (typeof audit.$inferSelect)[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % TURN === TURN - 1) await setImmediate();
    const record: HashedRecord = {
      seq: first + index,
      at,
      actor: context.actor.id,
      actorName: context.actor.name,
      action: entry.action,
      targetType: entry.targetType ?? typeOf(entry.action),
      target: withoutTokens(entry.target),
      before: withoutTokensOrNull(entry.before == null ? null : JSON.stringify(entry.before)),
      after: withoutTokensOrNull(entry.after == null ? null : JSON.stringify(entry.after)),
      reason: withoutTokensOrNull(entry.reason ?? context.reason),
      requestId: withoutTokensOrNull(context.requestId),
      address: context.address,
      undoes: entry.undoes ?? null,
    };
    const row = { ...record, previousHash, hash: auditHash(previousHash, record) };
    previousHash = row.hash;
    rows.push(row);
  }
  return rows;
}

/** What is in the chain can never be taken out again. */
function withoutTokensOrNull(text: string | null | undefined): string | null {
  return text === undefined || text === null ? null : withoutTokens(text);
}
