import { and, desc, eq, gt, isNull } from 'drizzle-orm';
import type { Logger } from 'pino';
import { allowlist, apiKeys, audit, overrides, settings } from '@/drizzle/schema';
import { DEFAULT_POLICIES, mergePatch, type Policies, PoliciesPatch } from '@/lib/contract/policies';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import { auditHead } from '@/lib/db/newest-revision';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import { Rules } from '@/lib/enforcement/rules';
import { parseRange } from '@/lib/limiter/address';

/** Names of the rows in `settings`. */
export const POLICIES_SETTING = 'policies';
export const ROUTE_RULES_SETTING = 'route-rules';

/**
 * Keeps the rules of this process up to date. Every change of them raises the revision, which is the number of its
 * audit record; a refresh reads the rows above the revision it has, so it costs what has changed and not what there is.
 *
 * Rules change as one: all rows of a refresh come from one moment, and are applied within one turn of the event loop
 * after all of them were read and parsed. When the database has gone back (a backup was restored), everything is read
 * again.
 */
export class RulesCache {
  #rules: Rules;
  /** The hash of the audit record whose number is the revision: two histories can have the same numbers. */
  #hash: string | null = null;
  readonly #base: Policies;
  #refreshing: Promise<Rules> | null = null;
  #unpublished: number | null = null;

  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
    configured: PoliciesPatch | undefined,
  ) {
    this.#base = mergePatch(DEFAULT_POLICIES, configured ?? {});
    this.#rules = new Rules(this.#base);
  }

  /**
   * The rules as last read, for a decision that the counter store checks the revision of. Ask again after every `await`:
   * it can be another object by then.
   */
  get current(): Rules {
    return this.#rules;
  }

  /** The rules as of now. @throws DatabaseUnavailable */
  async fresh(): Promise<Rules> {
    const [head] = await newestRecord(this.database);
    const same = (head?.seq ?? 0) === this.#rules.revision && (head?.hash ?? null) === this.#hash;
    return same ? this.#rules : this.refresh();
  }

  /**
   * Reads what has changed; calls that come in meanwhile share the work that starts after them. Rules that cannot be read
   * stay as they were, all of them.
   * @throws DatabaseUnavailable; Error when a stored document is not what it should be
   */
  async refresh(): Promise<Rules> {
    if (this.#refreshing !== null) {
      const before = this.#rules.revision;
      await this.#refreshing.catch(() => undefined);
      if (this.#rules.revision !== before) return this.#rules;
    }
    this.#refreshing ??= this.#load().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** Remembers a revision that the counter store could not be told; `republish` tries again. */
  publishLater(revision: number, error: unknown): void {
    this.#unpublished = Math.max(revision, this.#unpublished ?? 0);
    this.logger.warn({ revision, err: error }, 'the counter store does not know the newest revision of the rules yet');
  }

  /** Tells the counter store what it could not be told before. */
  async republish(counters: CounterStore): Promise<void> {
    const revision = this.#unpublished;
    if (revision === null) return;
    await counters.publish(revision);
    if (this.#unpublished === revision) this.#unpublished = null;
  }

  async #load(): Promise<Rules> {
    const { revision } = this.#rules;
    const rows = await readRules(this.database, this.#base, revision);
    if (revision === 0 || rows.hashBefore === this.#hash) return this.#apply(rows, this.#rules);
    // A replica that lags does not have our record yet; the primary has lost it.
    if ((await auditHead(this.database, revision)).hash === this.#hash) return this.#rules;
    const all = await readRules(this.database, this.#base, 0);
    this.logger.warn(
      { before: revision, after: all.head.seq },
      'the database went back to an earlier state, or is another one: all rules were read again',
    );
    return this.#apply(all, new Rules(this.#base));
  }

  /** Nothing here waits and nothing throws: nobody sees rules of which only some have changed. */
  #apply({ head, policies, routeRules, allowed, own, keys }: RuleRows, rules: Rules): Rules {
    if (policies !== null) rules.policies = policies;
    if (routeRules !== null) {
      rules.routeRules = routeRules.rules;
      // Named once for each time that they are read.
      for (const { position, reason } of routeRules.skipped)
        this.logger.warn({ position, reason }, `route rule ${position} is skipped: ${reason}`);
    }
    for (const { row, range } of allowed) {
      const record = row.removedAt === null ? { id: row.id, expiresAt: row.expiresAt } : null;
      if (row.type === 'ip') {
        if (range !== null) rules.setAllowedRange(range, record);
      } else if (record === null) rules.allowedUsers.delete(row.identifier);
      else rules.allowedUsers.set(row.identifier, record);
    }
    for (const { row, range } of own) {
      const { id, limit, windowSeconds, expiresAt } = row;
      const record = row.removedAt === null ? { id, limit, windowSeconds, expiresAt } : null;
      if (row.type === 'ip') {
        const index = rules.overriddenRanges[row.class];
        if (range !== null && record !== null) index.set(range, record);
        else if (range !== null) index.delete(range);
      } else if (record === null) rules.overriddenUsers.delete(`${row.class}|${row.identifier}`);
      else rules.overriddenUsers.set(`${row.class}|${row.identifier}`, record);
    }
    for (const row of keys) {
      if (row.revokedAt === null) rules.setKey(row);
      else rules.removeKey(row.id);
    }
    rules.revision = head.seq;
    this.#hash = head.hash;
    this.#rules = rules;
    return rules;
  }
}

function newestRecord({ drizzle }: Database) {
  return drizzle.select({ seq: audit.seq, hash: audit.hash }).from(audit).orderBy(desc(audit.seq)).limit(1);
}

/**
 * Reads what has changed since a revision, as of one moment; all that is there, since 0. Everything that can be wrong
 * with what is stored is found here.
 */
async function readRules(database: Database, base: Policies, since: number) {
  const { drizzle } = database;
  const first = since === 0;
  const [[head], [before], documents, allowed, own, keys] = await drizzle.batch([
    newestRecord(database),
    drizzle.select({ hash: audit.hash }).from(audit).where(eq(audit.seq, since)),
    drizzle.select().from(settings).where(gt(settings.revision, since)),
    // A first reading needs only what is there; later ones also need to hear of removals.
    drizzle
      .select()
      .from(allowlist)
      .where(and(gt(allowlist.revision, since), first ? isNull(allowlist.removedAt) : undefined))
      .orderBy(allowlist.revision),
    drizzle
      .select()
      .from(overrides)
      .where(and(gt(overrides.revision, since), first ? isNull(overrides.removedAt) : undefined))
      .orderBy(overrides.revision),
    drizzle
      .select()
      .from(apiKeys)
      .where(and(gt(apiKeys.revision, since), first ? isNull(apiKeys.revokedAt) : undefined)),
  ]);
  const document = <T>(name: string, read: (value: unknown) => T): T | null => {
    const row = documents.find((one) => one.name === name);
    if (row === undefined) return null;
    try {
      return read(JSON.parse(row.value));
    } catch (error) {
      throw new Error(`The setting "${name}" in the database cannot be read.`, { cause: error });
    }
  };
  return {
    head: head ?? { seq: 0, hash: null },
    /** The hash of the record whose number is `since`. */
    hashBefore: before?.hash ?? null,
    policies: document(POLICIES_SETTING, (value) => mergePatch(base, PoliciesPatch.parse(value))),
    routeRules: document(ROUTE_RULES_SETTING, compileRouteRules),
    allowed: removedFirst(allowed),
    own: removedFirst(own),
    keys,
  };
}

type RuleRows = Awaited<ReturnType<typeof readRules>>;

/** Rows in the order in which they are applied, those of addresses with their range. */
function removedFirst<T extends { type: string; identifier: string; removedAt: number | null }>(rows: readonly T[]) {
  const ordered = [
    ...rows.filter(({ removedAt }) => removedAt !== null),
    ...rows.filter(({ removedAt }) => removedAt === null),
  ];
  return ordered.map((row) => ({ row, range: row.type === 'ip' ? parseRange(row.identifier) : null }));
}
