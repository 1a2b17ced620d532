import { and, desc, gt, isNull } from 'drizzle-orm';
import type { Logger } from 'pino';
import { allowlist, apiKeys, audit, overrides, settings } from '@/drizzle/schema';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import { type CompiledRule, compileRouteRules } from '@/lib/enforcement/route-rules';
import { Rules } from '@/lib/enforcement/rules';
import { parseRange } from '@/lib/limiter/address';
import { DEFAULT_POLICIES, mergePatch, type Policies, PoliciesPatch } from '@/lib/schemas/policies';

/** Names of the rows in `settings`. */
export const POLICIES_SETTING = 'policies';
export const ROUTE_RULES_SETTING = 'route-rules';

/**
 * Keeps the rules of this process up to date. Every change of them raises the revision, which is the number of its
 * audit record; a refresh reads the rows above the revision it has, so it costs what has changed and not what there is.
 */
export class RulesCache {
  readonly #rules: Rules;
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

  /** The rules as last read, for a decision that the counter store checks the revision of. */
  get current(): Rules {
    return this.#rules;
  }

  /** The rules as of now. @throws DatabaseUnavailable */
  async fresh(): Promise<Rules> {
    const head = await this.#head();
    return head > this.#rules.revision ? this.refresh() : this.#rules;
  }

  /** Reads what has changed; calls that come in meanwhile share the work that starts after them. */
  async refresh(): Promise<Rules> {
    if (this.#refreshing !== null) {
      const before = this.#rules.revision;
      await this.#refreshing.catch(() => undefined);
      if (this.#rules.revision > before) return this.#rules;
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

  /** Skipped rules are named once for each time that they are read. */
  #compiled(stored: unknown): readonly CompiledRule[] {
    const { rules, skipped } = compileRouteRules(stored);
    for (const { position, reason } of skipped)
      this.logger.warn({ position, reason }, `route rule ${position} is skipped: ${reason}`);
    return rules;
  }

  async #head(): Promise<number> {
    const [head] = await this.database.drizzle.select({ seq: audit.seq }).from(audit).orderBy(desc(audit.seq)).limit(1);
    return head?.seq ?? 0;
  }

  async #load(): Promise<Rules> {
    const rules = this.#rules;
    const since = rules.revision;
    const first = since === 0;
    const { drizzle } = this.database;
    // The head is read first: rows that are newer than it are read again next time, which does no harm.
    const head = await this.#head();

    for (const row of await drizzle.select().from(settings).where(gt(settings.revision, since))) {
      if (row.name === POLICIES_SETTING)
        rules.policies = mergePatch(this.#base, PoliciesPatch.parse(JSON.parse(row.value)));
      if (row.name === ROUTE_RULES_SETTING) rules.routeRules = this.#compiled(JSON.parse(row.value));
    }
    // A first reading needs only what is there; later ones also need to hear of removals.
    const allowed = await drizzle
      .select()
      .from(allowlist)
      .where(and(gt(allowlist.revision, since), first ? isNull(allowlist.removedAt) : undefined))
      .orderBy(allowlist.revision);
    for (const row of [
      ...allowed.filter((one) => one.removedAt !== null),
      ...allowed.filter((one) => one.removedAt === null),
    ]) {
      const record = row.removedAt === null ? { id: row.id, expiresAt: row.expiresAt } : null;
      if (row.type === 'ip') {
        const range = parseRange(row.identifier);
        if (range !== null) rules.setAllowedRange(range, record);
      } else if (record === null) rules.allowedUsers.delete(row.identifier);
      else rules.allowedUsers.set(row.identifier, record);
    }
    const own = await drizzle
      .select()
      .from(overrides)
      .where(and(gt(overrides.revision, since), first ? isNull(overrides.removedAt) : undefined))
      .orderBy(overrides.revision);
    for (const row of [
      ...own.filter((one) => one.removedAt !== null),
      ...own.filter((one) => one.removedAt === null),
    ]) {
      const { id, limit, windowSeconds, expiresAt } = row;
      const record = row.removedAt === null ? { id, limit, windowSeconds, expiresAt } : null;
      if (row.type === 'ip') {
        const range = parseRange(row.identifier);
        const index = rules.overriddenRanges[row.class];
        if (range !== null && record !== null) index.set(range, record);
        else if (range !== null) index.delete(range);
      } else if (record === null) rules.overriddenUsers.delete(`${row.class}|${row.identifier}`);
      else rules.overriddenUsers.set(`${row.class}|${row.identifier}`, record);
    }
    const keys = await drizzle
      .select()
      .from(apiKeys)
      .where(and(gt(apiKeys.revision, since), first ? isNull(apiKeys.revokedAt) : undefined));
    for (const row of keys) {
      if (row.revokedAt === null) rules.setKey(row);
      else rules.removeKey(row.id);
    }
    rules.revision = Math.max(rules.revision, head);
    return rules;
  }
}
