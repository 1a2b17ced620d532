import type { InStatement, ResultSet } from '@libsql/client';
import { getTableColumns } from 'drizzle-orm';
import type { Logger } from 'pino';
import { allowlist, apiKeys, grants, overrides } from '@/drizzle/schema';
import { StoredIncidentSchema } from '@/lib/contract/fields/incident';
import { DEFAULT_POLICIES, mergePatch, type Policies, PoliciesPatch } from '@/lib/contract/policies';
import { ACTIVE_STORE_SETTING, parseActiveStore } from '@/lib/counters/active-store';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import { readNewestRevision, readPrimaryRevision } from '@/lib/db/newest-revision';
import type { RowReading } from '@/lib/db/readable-rows';
import { readCandidateRules, readCandidates } from '@/lib/enforcement/candidates';
import type { IncidentRecord } from '@/lib/enforcement/incident';
import { readKeyLimits, readNamedLimits, readOwnNumbers } from '@/lib/enforcement/named-limits';
import { listFirstStatements, readRuleRows } from '@/lib/enforcement/read-rule-rows';
import { removeUnreadable } from '@/lib/enforcement/readable-rules';
import { compileRouteRules } from '@/lib/enforcement/route-rules';
import { Rules } from '@/lib/enforcement/rules';
import { countSubjectBits, parseRange } from '@/lib/limiter/address';
import { UnreadableRows } from '@/lib/logging/unreadable-rows';

/** Columns of an exemption. */
const EXCEPTION = ['id', 'type', 'identifier', 'expiresAt', 'removedAt', 'revision'] as const;
/** Columns that decisions need. Others are left out, because there can be many rows. */
const COLUMNS = {
  allowed: pick(getTableColumns(allowlist), EXCEPTION),
  overridden: pick(getTableColumns(overrides), [
    ...EXCEPTION,
    ...(['class', 'limit', 'windowSeconds', 'limitName', 'numbers'] as const),
  ]),
  keys: pick(getTableColumns(apiKeys), [
    ...(['id', 'name', 'tier', 'clientType', 'userId', 'overageAllowed', 'secretHash'] as const),
    ...(['monthStartsOn', 'monthShift', 'limits'] as const),
    ...(['previousSecretHash', 'previousSecretUntil', 'expiresAt', 'revokedAt', 'revision'] as const),
  ]),
  granted: pick(getTableColumns(grants), ['id', 'apiKeyId', 'requests', 'until', 'removedAt', 'revision']),
};

function pick<T extends object, K extends keyof T>(from: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<T, K>;
}

/** Lists the statements that read all rules from a server, for a batch that reads more. */
export const listRuleStatements = (database: Database): InStatement[] => listFirstStatements(database, COLUMNS);

/** Names of rows in `settings`. */
export const POLICIES_SETTING = 'policies';
export const ROUTE_RULES_SETTING = 'route-rules';
export const INCIDENT_SETTING = 'incident';
export const LIMITS_SETTING = 'limits';
export const CANDIDATES_SETTING = 'candidates';
export const CANDIDATE_RULES_SETTING = 'candidate-rules';

/**
 * Keeps the rules of this process up to date. Every change raises the revision, which is the number of its audit
 * record. A refresh reads only rows above the cached revision, so its cost grows with the changes, not with the rules.
 *
 * A refresh is atomic. All of its rows are of one point in time. They are applied within one turn of the event loop,
 * after all of them were read and parsed. If the database has gone back (a restored backup), everything is read again.
 */
export class RulesCache {
  #rules: Rules;
  /** Hash of the audit record of the revision. It distinguishes two histories with the same numbers. */
  #hash: string | null = null;
  readonly #base: Policies;
  #refreshing: Promise<Rules> | null = null;
  #unpublished: number | null = null;
  readonly #reading: RowReading;

  constructor(
    private readonly database: Database,
    private readonly logger: Logger,
    configured: PoliciesPatch | undefined,
    unreadable = new UnreadableRows(logger),
  ) {
    this.#base = mergePatch(DEFAULT_POLICIES, configured ?? {});
    this.#rules = new Rules(this.#base);
    const { contents } = database.reading;
    this.#reading = { contents, onUnreadable: (table, row, error) => unreadable.reportRow(table, row, error) };
  }

  /**
   * The cached rules, for decisions whose revision the counter store checks. Read the property again after every
   * `await`, because the object can be replaced.
   */
  get current(): Rules {
    return this.#rules;
  }

  /** Returns the current rules from the database. @throws DatabaseUnavailable */
  async readFresh(): Promise<Rules> {
    const newest = await readNewestRevision(this.database);
    const same = (newest?.seq ?? 0) === this.#rules.revision && (newest?.hash ?? null) === this.#hash;
    return same ? this.#rules : this.refresh();
  }

  /**
   * Reads all changes. Calls during a refresh share the next one. If it fails, all rules stay unchanged.
   * @param first results of `listRuleStatements`, if nothing else was read yet
   * @throws DatabaseUnavailable; Error if a stored document is malformed
   */
  async refresh(first?: readonly ResultSet[]): Promise<Rules> {
    if (this.#refreshing !== null) {
      const before = this.#rules.revision;
      await this.#refreshing.catch(() => undefined);
      if (this.#rules.revision !== before) return this.#rules;
    }
    this.#refreshing ??= this.#load(first).finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /**
   * Reads a change that this process has made, so that it applies here although the database fails next. A failure is
   * no error: the next decision reads the change.
   */
  async readChange(revision: number): Promise<void> {
    // A refresh in progress may have begun before the change.
    for (let attempt = 0; attempt < 2 && this.#rules.revision < revision; attempt += 1)
      await this.refresh().catch(() => undefined);
  }

  /** Stores a revision that could not be published. `republish` tries again. */
  publishLater(revision: number, error: unknown): void {
    this.#unpublished = Math.max(revision, this.#unpublished ?? 0);
    this.logger.warn({ revision, err: error }, 'the counter store does not know the newest revision of the rules yet');
  }

  /** Publishes the revision that could not be published before. */
  async republish(counters: CounterStore): Promise<void> {
    const revision = this.#unpublished;
    if (revision === null) return;
    await counters.publish(revision);
    if (this.#unpublished === revision) this.#unpublished = null;
  }

  async #load(first?: readonly ResultSet[]): Promise<Rules> {
    const { revision } = this.#rules;
    const rows = await readRules(this.database, this.#base, revision, this.#reading, first);
    if (revision === 0 || rows.hashBefore === this.#hash) return this.#apply(rows, this.#rules);
    // A lagging replica does not have our record yet. A primary without it has gone back.
    if ((await readPrimaryRevision(this.database, revision)).hash === this.#hash) return this.#rules;
    const all = await readRules(this.database, this.#base, 0, this.#reading);
    const sentence = 'the database was restored to an earlier state or replaced; all rules were reloaded';
    this.logger.warn({ before: revision, after: all.newest.seq }, sentence);
    return this.#apply(all, new Rules(this.#base));
  }

  /** Applies rows. Never waits and never throws, so no decision sees half of a refresh. */
  #apply(rows: RuleRows, rules: Rules): Rules {
    const { newest, policies, limits, routeRules, counterHome, incident, candidates, candidateRules } = rows;
    const { allowed, overridden, keys, granted } = rows;
    if (policies !== null) rules.policies = policies;
    if (limits !== null) rules.limits = limits.limits;
    if (counterHome !== null) rules.activeStore = counterHome;
    if (incident !== null) rules.incident = incident.record;
    if (candidates !== null) rules.candidates = candidates.candidates;
    if (candidateRules !== null) rules.candidateRules = candidateRules.candidate;
    if (routeRules !== null) {
      rules.routeRules = routeRules.rules;
      for (const { position, reason } of routeRules.skipped)
        this.logger.warn({ position, reason }, `route rule ${position} is skipped: ${reason}`);
    }
    for (const { row, range } of allowed) {
      const { id, expiresAt } = row;
      const record = row.removedAt === null ? { id, expiresAt } : null;
      if (row.type === 'user_id') put(rules.allowedUsers, row.identifier, record);
      else if (range !== null) put(rules.allowedRanges, range, record);
    }
    for (const { row, range } of overridden) {
      const { id, limit, windowSeconds, expiresAt } = row;
      const isRange = range !== null && range.length < countSubjectBits(range.first);
      const record = row.removedAt === null ? { id, limit, windowSeconds, expiresAt, isRange } : null;
      if (row.class === '') {
        const own = record && { id, expiresAt, ...readOwnNumbers(JSON.parse(row.numbers ?? '{}')) };
        put(rules.overriddenSubjects, `${row.limitName}|${row.identifier}`, own);
      } else if (row.type === 'user_id') put(rules.overriddenUsers, `${row.class}|${row.identifier}`, record);
      else if (range !== null) put(rules.overriddenRanges[row.class], range, record);
    }
    for (const row of keys) {
      if (row.revokedAt === null) rules.setKey({ ...row, limits: readKeyLimits(row.limits) });
      else rules.removeKey(row.id);
    }
    for (const row of granted) {
      if (row.removedAt === null) rules.setGrant(row);
      else rules.removeGrant(row);
    }
    rules.revision = newest.seq;
    this.#hash = newest.hash;
    this.#rules = rules;
    return rules;
  }
}

/** Stores a record, or removes it if it is null. */
function put<K, T>(place: Pick<Map<K, T>, 'delete'> & { set(key: K, record: T): unknown }, key: K, record: T | null) {
  if (record === null) place.delete(key);
  else place.set(key, record);
}

/** Reads and parses all changes since a revision, as of one point in time. Since revision 0, reads all rules. */
async function readRules(
  database: Database,
  base: Policies,
  since: number,
  reading: RowReading,
  first?: readonly ResultSet[],
) {
  const { newest, hashBefore, documents, allowed, overridden, keys, granted } = await readRuleRows(
    database,
    since,
    COLUMNS,
    first,
  );
  const readDocument = <T>(name: string, read: (value: unknown) => T): T | null => {
    const row = documents.find((setting) => setting.name === name);
    if (row === undefined) return null;
    try {
      return read(JSON.parse(row.value));
    } catch (error) {
      throw new Error(`The setting "${name}" in the database cannot be read.`, { cause: error });
    }
  };
  return {
    newest,
    hashBefore,
    policies: readDocument(POLICIES_SETTING, (value) => mergePatch(base, PoliciesPatch.parse(value))),
    limits: readDocument(LIMITS_SETTING, readNamedLimits),
    routeRules: readDocument(ROUTE_RULES_SETTING, compileRouteRules),
    counterHome: readDocument(ACTIVE_STORE_SETTING, parseActiveStore),
    incident: readDocument(INCIDENT_SETTING, readIncident),
    candidates: readDocument(CANDIDATES_SETTING, readCandidates),
    candidateRules: readDocument(CANDIDATE_RULES_SETTING, readCandidateRules),
    allowed: yieldRemovalsFirst(removeUnreadable(allowed, allowlist, isRemoved, reading)),
    overridden: yieldRemovalsFirst(removeUnreadable(overridden, overrides, isRemoved, reading)),
    keys: removeUnreadable(keys, apiKeys, ({ revokedAt }) => revokedAt !== null, reading),
    granted: removeUnreadable(granted, grants, isRemoved, reading),
  };
}

/** @returns `record` is null if the incident was ended */
function readIncident(value: unknown): { record: IncidentRecord | null } {
  const incident = StoredIncidentSchema.parse(value);
  if (incident === null) return { record: null };
  return { record: { mode: incident.mode, factor: incident.factor ?? 1, until: Date.parse(incident.until) } };
}

const isRemoved = ({ removedAt }: { removedAt: number | null }) => removedAt !== null;

type RuleRows = Awaited<ReturnType<typeof readRules>>;

/**
 * Yields rows in the order in which they are applied, with the ranges of addresses. Removals come first, except in the
 * rows of a whole file, which has none.
 */
function* yieldRemovalsFirst<T extends { type: string; identifier: string; removedAt: number | null }>(
  rows: Iterable<T>,
) {
  const isPresent = ({ removedAt }: T) => removedAt === null;
  const listed: readonly T[] | null = Array.isArray(rows) ? rows : null;
  const ordered = listed === null ? rows : [...listed.filter((row) => !isPresent(row)), ...listed.filter(isPresent)];
  for (const row of ordered) yield { row, range: row.type === 'ip' ? parseRange(row.identifier) : null };
}
