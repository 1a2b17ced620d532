import { createHash, randomUUID } from 'node:crypto';
import { audit } from '@/drizzle/schema';
import type { AuditAction, UndoAction } from '@/lib/contract/audit-actions';
import type { ForeseenChange } from '@/lib/contract/preview';
import type { CounterChange } from '@/lib/counters/store';
import type { Database, Statement } from '@/lib/db/database';
import { ConstraintViolation } from '@/lib/db/errors';
import { insertRows } from '@/lib/db/insert-rows';
import { readNewestRevision } from '@/lib/db/newest-revision';
import { ApiError } from '@/lib/http/api-error';
import { redactTokens } from '@/lib/logging/redact-tokens';
import { type Context, Previewed } from '@/lib/operation/context';
import { takeTurn } from '@/lib/take-turn';
import type { Millis } from '@/lib/units';

/** Description of a change in the audit log. `before` and `after` are plain JSON values without secrets. */
export interface AuditEntry {
  action: AuditAction | UndoAction;
  /** The part of `action` before the dot, by default. */
  targetType?: string;
  target: string;
  before?: unknown;
  after?: unknown;
  reason?: string | null;
  /** The `seq` of the record that this change undoes. */
  undoes?: number;
}

/** A planned change: its audit records and its writes, in one transaction. */
interface PlannedChange<T> {
  /**
   * One entry, or one for each of several changes that are made together.
   * The record of entry `i` has the number `revision + i`, which the rows of that entry carry. Without entries, the
   * statements must not affect decisions.
   */
  audit: AuditEntry | readonly AuditEntry[];
  statements?: Statement[];
  /** Changes of counters that belong to the change. */
  counters?: CounterChange[];
  /** Omitted by changes that return nothing, whose `T` is undefined then. */
  result?: T;
}

/** Hash that the first audit record links to. */
export const GENESIS_HASH = '0'.repeat(64);

const MAX_ATTEMPTS = 25;
/** Records built in one turn of the event loop, so that decisions run between turns. */
const TURN = 500;

/** The columns of a record that its hash covers. */
export type HashedRecord = Omit<typeof audit.$inferSelect, 'previousHash' | 'hash'>;

/** Computes the SHA-256 (hex) of the previous hash and the record's columns, as a JSON array. */
export function computeAuditHash(previousHash: string, record: HashedRecord): string {
  const { seq, at, actor, actorName, action, targetType, target, before, after, reason, requestId, address } = record;
  const what = [action, targetType, target, before, after, reason];
  // Records older than the undo feature have no such column in their hash.
  const undoes = record.undoes === null ? [] : [record.undoes];
  const columns = [previousHash, seq, at, actor, actorName, ...what, requestId, address, ...undoes];
  return createHash('sha256').update(JSON.stringify(columns)).digest('hex');
}

/** Thrown by a plan if another process has concurrently made this change or a conflicting one. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';
}

/**
 * Makes one change, or several together, with an audit record for each, in one transaction.
 *
 * `plan` reads what it needs and returns the writes. The audit records take the numbers after the newest record, which
 * is read before `plan` runs. If another process makes a change concurrently, that number is taken: nothing is written,
 * and `plan` runs again on the current state. Changes are therefore serialisable without a long transaction, on an
 * embedded file and on a server.
 *
 * On an embedded file, the next change is planned while this one is flushed to disk, so that waiting changes share a
 * sync (docs/decisions/0012-changes-share-a-sync.md). No change is answered before it is durable. Changes of one
 * process are queued; the sequence number detects those of other processes.
 *
 * @param plan receives the number of the first record, which its rows must carry; throws an ApiError to refuse
 * @throws ApiError conflict if other processes win every attempt; service_unavailable if the database file at its path
 *   was deleted or replaced, because the change would be lost
 */
export async function change<T = undefined>(
  context: Context,
  plan: (revision: number) => Promise<PlannedChange<T>>,
): Promise<NoInfer<T>> {
  const { database, counters, rules } = context.services;
  if (context.preview !== undefined) return previewChange(context, context.preview, plan);
  const committed = await database.inTurn(() => commitChange(context, plan));
  const { newest } = committed;
  // `T` comes from the plan alone: it is undefined if the plan omits the result.
  const result = committed.result as T;
  await database.waitUntilDurable();
  if (newest === undefined) return result;
  const published = counters.publish(newest).catch((error: unknown) => rules.publishLater(newest, error));
  await Promise.all([published, rules.readChange(newest)]);
  return result;
}

/**
 * Plans a change without making it or waiting in the queue.
 * With a trial database, it applies the writes to the trial, so that later changes build on them. The caller adds the
 * effects.
 * @throws Previewed
 */
async function previewChange<T>(
  context: Context,
  preview: NonNullable<Context['preview']>,
  plan: (revision: number) => Promise<PlannedChange<T>>,
): Promise<never> {
  const { database } = context.services;
  const { trial } = database;
  const head = trial?.newest ?? (await readNewestRevision(database));
  const revision = (head?.seq ?? 0) + 1;
  const { audit: entries, statements = [], result } = await plan(revision);
  preview.push(...[entries].flat().map(buildForeseenChange));
  if (trial === null) throw new Previewed(result);
  const records = await chainRecords(context, [entries].flat(), revision, head?.hash ?? GENESIS_HASH);
  await database.commit([...insertRows(database, audit, records), ...statements]);
  trial.newest = records.at(-1) ?? head;
  throw new Previewed(result);
}

/** Commits a change. The caller then awaits `waitUntilDurable`. @returns the number of the last record, undefined if none */
async function commitChange<T>(
  context: Context,
  plan: (revision: number) => Promise<PlannedChange<T>>,
): Promise<{ result: T | undefined; newest: number | undefined }> {
  const { database } = context.services;
  if (!database.isInPlace()) {
    throw new ApiError(
      'service_unavailable',
      'The database file was deleted or replaced while Sluice ran; nothing was changed. Restart Sluice.',
      { headers: { 'Retry-After': '30' } },
    );
  }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    await context.once?.throwIfAnswered();
    const head = await readNewestRevision(database);
    const revision = (head?.seq ?? 0) + 1;
    const { audit: entries, statements = [], counters: counterChanges = [], result } = await plan(revision);
    const records = await chainRecords(context, [entries].flat(), revision, head?.hash ?? GENESIS_HASH);
    const recorded = insertRows(database, audit, records);
    if (records.length > TURN) await takeTurn();
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
      // An action in another store needs its record first, and actions run in the order of the records.
      await database.waitUntilDurable();
      for (const action of actions) await action.run();
      // The answer is kept only after all effects. Running an action twice is harmless.
      await database.batch(keepAnswer).catch((error: unknown) => {
        // Another process has kept the same answer already.
        if (!(error instanceof ConstraintViolation)) throw error;
      });
    }
    return { result, newest };
  }
  throw new ApiError('conflict', 'Concurrent changes conflicted; nothing was changed.');
}

/** The parts of a context that an audit record holds. */
type Author = Pick<Context, 'actor' | 'reason' | 'requestId' | 'address'> & {
  services: Pick<Context['services'], 'clock'>;
};

/** A planned change for `changeFromOutside`. */
interface OutsideChange {
  audit: AuditEntry;
  statements: Statement[];
}

/**
 * Makes a change like `change`, from a process that is not a server. It has one entry, whose rows carry its number.
 * Servers detect it with their next decision group.
 * @throws ConstraintViolation if other processes win every attempt; DatabaseUnavailable
 */
export async function changeFromOutside(
  database: Database,
  author: Pick<Author, 'actor' | 'reason'> & { clock: () => Millis },
  plan: (revision: number) => OutsideChange | Promise<OutsideChange>,
): Promise<number> {
  const { actor, reason, clock } = author;
  for (let attempt = 1; ; attempt += 1) {
    const head = await readNewestRevision(database);
    const revision = (head?.seq ?? 0) + 1;
    const { audit: entry, statements } = await plan(revision);
    const context = { actor, reason, requestId: randomUUID(), address: null, services: { clock } };
    const records = await chainRecords(context, [entry], revision, head?.hash ?? GENESIS_HASH);
    try {
      await database.batch([...insertRows(database, audit, records), ...statements]);
      return revision;
    } catch (error) {
      if (!(error instanceof ConstraintViolation) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Converts an entry to the form that a preview shows. */
function buildForeseenChange({ action, targetType, target, before = null, after = null }: AuditEntry): ForeseenChange {
  return { action, target_type: targetType ?? readTargetType(action), target, before, after };
}

/** Reads the target type: the part of an action before the dot. */
function readTargetType(action: AuditEntry['action']): string {
  return action.replace(/[.].*/, '');
}

/** Builds the records of entries, and links each to the previous one. @param hash of the newest stored record */
async function chainRecords(context: Author, entries: readonly AuditEntry[], first: number, hash: string) {
  const at = context.services.clock();
  let previousHash = hash;
  const rows: (typeof audit.$inferSelect)[] = [];
  for (const [index, entry] of entries.entries()) {
    if (index % TURN === TURN - 1) await takeTurn();
    const record: HashedRecord = {
      seq: first + index,
      at,
      actor: context.actor.id,
      actorName: context.actor.name,
      action: entry.action,
      targetType: entry.targetType ?? readTargetType(entry.action),
      target: redactTokens(entry.target),
      before: redactTokensOrNull(entry.before == null ? null : JSON.stringify(entry.before)),
      after: redactTokensOrNull(entry.after == null ? null : JSON.stringify(entry.after)),
      reason: redactTokensOrNull(entry.reason ?? context.reason),
      requestId: redactTokensOrNull(context.requestId),
      address: context.address,
      undoes: entry.undoes ?? null,
    };
    const row = { ...record, previousHash, hash: computeAuditHash(previousHash, record) };
    previousHash = row.hash;
    rows.push(row);
  }
  return rows;
}

/** Redacts tokens, because a record in the chain can never be removed. */
function redactTokensOrNull(text: string | null | undefined): string | null {
  return text === undefined || text === null ? null : redactTokens(text);
}
