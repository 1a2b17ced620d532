import { and, eq, sql } from 'drizzle-orm';
import { keptSettings, settings } from '@/drizzle/schema';
import type { AuditEntry } from '@/lib/admin/change';
import type { SIGN_IN_SETTING } from '@/lib/auth/session';
import { MANAGED_HEADER } from '@/lib/contract/fields/managed';
import type { Database, Statement } from '@/lib/db/database';
import { prepareOnce } from '@/lib/db/prepare-once';
import {
  CANDIDATE_RULES_SETTING,
  CANDIDATES_SETTING,
  type INCIDENT_SETTING,
  LIMITS_SETTING,
  POLICIES_SETTING,
  ROUTE_RULES_SETTING,
} from '@/lib/enforcement/rules-cache';
import type { Context } from '@/lib/operation/context';

export const ALERTS_SETTING = 'alerts';

/** Documents whose previous version is kept by each change, with their default values. */
const EMPTY = {
  [POLICIES_SETTING]: {},
  [ROUTE_RULES_SETTING]: [],
  [ALERTS_SETTING]: {},
  [LIMITS_SETTING]: [],
  [CANDIDATES_SETTING]: [],
  [CANDIDATE_RULES_SETTING]: null,
};
export type KeptSetting = keyof typeof EMPTY;
type SettingName = KeptSetting | typeof INCIDENT_SETTING | typeof SIGN_IN_SETTING;

const settingByName = prepareOnce((drizzle) =>
  drizzle
    .select()
    .from(settings)
    .where(eq(settings.name, sql.placeholder('name')))
    .prepare(),
);

/** Reads a stored document. Undefined if it was never changed. */
export async function readSetting(database: Database, name: SettingName): Promise<unknown> {
  const [row] = await settingByName(database).all({ name });
  return row && JSON.parse(row.value);
}

/** Reads the header that marks a document as managed by a state document. Empty if it is not. */
export async function readManagedHeader({ drizzle }: Database, name: SettingName): Promise<Record<string, string>> {
  const marked = await drizzle.$count(settings, and(eq(settings.name, name), eq(settings.managed, true)));
  return marked === 0 ? {} : { [MANAGED_HEADER]: 'true' };
}

/** Builds the statement that marks a document as managed. It stores the default value if none is stored. */
export function markManaged({ services, now }: Context, name: KeptSetting): Statement {
  return services.database.drizzle
    .insert(settings)
    .values({ name, value: JSON.stringify(EMPTY[name]), updatedAt: now, revision: 0, managed: true })
    .onConflictDoUpdate({ target: settings.name, set: { managed: true } });
}

/** Builds the statement that stores a document, as part of a change. */
export function writeSetting(
  { services, now }: Context,
  name: SettingName,
  value: unknown,
  revision: number,
): Statement {
  const row = { value: JSON.stringify(value), updatedAt: now, revision };
  return services.database.drizzle
    .insert(settings)
    .values({ name, ...row })
    .onConflictDoUpdate({ target: settings.name, set: row });
}

/** Stores a document, and keeps the previous version for an undo. @param before undefined if it was never changed */
export function replaceSetting(
  context: Context,
  name: KeptSetting,
  { before = EMPTY[name], after }: { before: unknown; after: unknown },
  revision: number,
): Statement[] {
  const previous = { revision, value: JSON.stringify(before) };
  const { drizzle } = context.services.database;
  return [drizzle.insert(keptSettings).values(previous), writeSetting(context, name, after, revision)];
}

/** A document that one kind of change replaces. */
export interface DocumentKind {
  name: KeptSetting;
  action: AuditEntry['action'];
}

/** A document before and after a change. `stored` is the stored part of it, by default all. */
export interface Versions {
  before: unknown;
  after: unknown;
  stored?: { before: unknown; after: unknown };
}

/** Plans the replacement of a document: its audit record and its writes. */
export function planDocument(
  context: Context,
  { name, action }: DocumentKind,
  { before, after, stored = { before, after } }: Versions,
  revision: number,
  reason: string | null = null,
) {
  const entry: AuditEntry = { action, target: name, before, after, reason };
  return { audit: entry, statements: replaceSetting(context, name, stored, revision) };
}
