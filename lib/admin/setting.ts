import { and, eq, sql } from 'drizzle-orm';
import { keptSettings, settings } from '@/drizzle/schema';
import { MANAGED_HEADER } from '@/lib/contract/fields/managed';
import type { Database, Statement } from '@/lib/db/database';
import { prepared } from '@/lib/db/prepared';
import {
  CANDIDATE_RULES_SETTING,
  CANDIDATES_SETTING,
  POLICIES_SETTING,
  ROUTE_RULES_SETTING,
} from '@/lib/enforcement/rules-cache';

/** The name of the alert settings among `settings`. */
export const ALERTS_SETTING = 'alerts';

export type SettingName =
  | typeof POLICIES_SETTING
  | typeof ROUTE_RULES_SETTING
  | typeof ALERTS_SETTING
  | typeof CANDIDATES_SETTING
  | typeof CANDIDATE_RULES_SETTING;

const settingByName = prepared((drizzle) =>
  drizzle
    .select()
    .from(settings)
    .where(eq(settings.name, sql.placeholder('name')))
    .prepare(),
);

/** A stored document, undefined when it was never changed. */
export async function readSetting(database: Database, name: SettingName): Promise<unknown> {
  const [row] = await settingByName(database).all({ name });
  return row && JSON.parse(row.value);
}

/** The header that says that a state document has set a document; none where it has not. */
export async function managedHeader({ drizzle }: Database, name: SettingName): Promise<Record<string, string>> {
  const marked = await drizzle.$count(settings, and(eq(settings.name, name), eq(settings.managed, true)));
  return marked === 0 ? {} : { [MANAGED_HEADER]: 'true' };
}

/** An empty document is what holds where none was ever stored. */
const EMPTY: Readonly<Record<SettingName, unknown>> = {
  [POLICIES_SETTING]: {},
  [ROUTE_RULES_SETTING]: [],
  [ALERTS_SETTING]: {},
  [CANDIDATES_SETTING]: [],
  [CANDIDATE_RULES_SETTING]: null,
};

/** Stores a document, and keeps the one before it for an undo. @param before undefined when it was never changed */
export function writeSetting(
  { drizzle }: Database,
  name: SettingName,
  { before = EMPTY[name], after }: { before: unknown; after: unknown },
  now: number,
  revision: number,
): Statement[] {
  const row = { value: JSON.stringify(after), updatedAt: now, revision };
  return [
    drizzle.insert(keptSettings).values({ revision, value: JSON.stringify(before) }),
    drizzle
      .insert(settings)
      .values({ name, ...row })
      .onConflictDoUpdate({ target: settings.name, set: row }),
  ];
}
