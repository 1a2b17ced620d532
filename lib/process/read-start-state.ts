import { inArray, isNull, sql } from 'drizzle-orm';
import { webhooks } from '@/drizzle/alerts-schema';
import { members, settings } from '@/drizzle/schema';
import { FINGERPRINT_SETTING } from '@/lib/auth/secret-fingerprint';
import { ACTIVE_STORE_SETTING, type ActiveStore, parseActiveStore } from '@/lib/counters/active-store';
import { INSTALLATION_SETTING } from '@/lib/counters/installation';
import type { Database } from '@/lib/db/database';
import { APPLIED_MIGRATIONS, type AppliedMigration } from '@/lib/db/migrate';

/** What a start reads before the rules. */
export interface StartState {
  migrations: readonly AppliedMigration[];
  /** Fingerprint of the `AUTH_SECRET` in use. Null before the first start. */
  fingerprint: string | null;
  /** Id of the database. Undefined if it has none yet. */
  installation: string | undefined;
  /** Null if none is recorded. */
  activeStore: ActiveStore | null;
  hasMembers: boolean;
  webhooks: readonly (typeof webhooks.$inferSelect)[];
}

/**
 * Reads all of it in one round trip, because a function starts often, and its first request waits.
 * @throws Error of the driver, also if the database has no schema yet
 */
export async function readStartState({ drizzle }: Pick<Database, 'drizzle'>): Promise<StartState> {
  const names = [FINGERPRINT_SETTING, INSTALLATION_SETTING, ACTIVE_STORE_SETTING];
  const [migrations, stored, owners, receivers] = await drizzle.batch([
    drizzle.all<AppliedMigration>(sql.raw(APPLIED_MIGRATIONS)),
    drizzle.select({ name: settings.name, value: settings.value }).from(settings).where(inArray(settings.name, names)),
    drizzle.select({ one: sql<number>`1` }).from(members).limit(1),
    drizzle.select().from(webhooks).where(isNull(webhooks.removedAt)).orderBy(webhooks.name),
  ]);
  const findValue = (name: string) => stored.find((setting) => setting.name === name)?.value;
  const fingerprint = findValue(FINGERPRINT_SETTING);
  const installation = findValue(INSTALLATION_SETTING);
  const activeStore = findValue(ACTIVE_STORE_SETTING);
  return {
    migrations,
    fingerprint: fingerprint === undefined ? null : String(JSON.parse(fingerprint)),
    installation: installation === undefined ? undefined : String(JSON.parse(installation)),
    activeStore: activeStore === undefined ? null : parseActiveStore(JSON.parse(activeStore)),
    hasMembers: owners.length > 0,
    webhooks: receivers,
  };
}
