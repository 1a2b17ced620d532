import { eq } from 'drizzle-orm';
import { keptSettings } from '@/drizzle/schema';
import { ALERTS_SETTING } from '@/lib/admin/alerts/setting-name';
import { readSetting, type SettingName, writeSetting } from '@/lib/admin/limits/settings';
import { type Reversal, refuse } from '@/lib/admin/undo/reversal';
import {
  CANDIDATE_RULES_SETTING,
  CANDIDATES_SETTING,
  POLICIES_SETTING,
  ROUTE_RULES_SETTING,
} from '@/lib/enforcement/rules-cache';

/** Takes back a change of a document, whose text before each change is kept. */
function reversalOf(name: SettingName, restored: string): Reversal {
  return {
    role: 'owner',
    async plan({ services, now }, { seq }, revision) {
      const { database } = services;
      const [kept] = await database.drizzle.select().from(keptSettings).where(eq(keptSettings.revision, seq));
      if (kept === undefined) return refuse('It was made by a version of Sluice that kept nothing to undo it by.');
      const documents = { before: await readSetting(database, name), after: JSON.parse(kept.value) };
      return { statements: writeSetting(database, name, documents, now, revision), restored };
    },
  };
}

export const POLICIES_REVERSAL = reversalOf(POLICIES_SETTING, 'The limits are as they were.');
export const ROUTE_RULES_REVERSAL = reversalOf(ROUTE_RULES_SETTING, 'The route rules are as they were.');
export const CANDIDATES_REVERSAL = reversalOf(CANDIDATES_SETTING, 'The candidate limits are as they were.');
export const CANDIDATE_RULES_REVERSAL = reversalOf(
  CANDIDATE_RULES_SETTING,
  'The candidate route rules are as they were.',
);
export const ALERTS_REVERSAL = reversalOf(ALERTS_SETTING, 'The alerts are as they were.');
