import { and, asc, eq, gt } from 'drizzle-orm';
import { audit, keptSettings } from '@/drizzle/schema';
import { changedPaths, valueAt, withValueAt } from '@/lib/admin/change-kind/changed-paths';
import type { UndoneRecord } from '@/lib/admin/change-kind/record';
import { type Reversal, refuse, refuseUnless } from '@/lib/admin/change-kind/reversal';
import { ALERTS_SETTING, readSetting, type SettingName, writeSetting } from '@/lib/admin/setting';
import { StoredCandidatesSchema } from '@/lib/contract/fields/candidate';
import type { Database } from '@/lib/db/database';
import {
  CANDIDATE_RULES_SETTING,
  CANDIDATES_SETTING,
  POLICIES_SETTING,
  ROUTE_RULES_SETTING,
} from '@/lib/enforcement/rules-cache';

/** The document that an undo leaves. @param kept the one before the change @param present the one of now */
type Restore = (database: Database, record: UndoneRecord, kept: unknown, present: unknown) => Promise<unknown>;

/** Takes back a change of a document, whose text before each change is kept; the whole of it unless `restore` says. */
function reversalOf(name: SettingName, restored: string, restore: Restore = async (_, __, kept) => kept): Reversal {
  return {
    role: 'owner',
    async plan({ services, now }, record, revision) {
      const { database } = services;
      const kept = await keptBy(database, record.seq);
      if (kept === undefined) return refuse('It was made by a version of Sluice that kept nothing to undo it by.');
      const before = await readSetting(database, name);
      const after = await restore(database, record, kept, before);
      return { statements: writeSetting(database, name, { before, after }, now, revision), restored };
    },
  };
}

/** The document before a change; undefined where it was not kept. */
async function keptBy({ drizzle }: Database, seq: number): Promise<unknown> {
  const [kept] = await drizzle.select().from(keptSettings).where(eq(keptSettings.revision, seq));
  return kept && JSON.parse(kept.value);
}

/** Only the limits that the change has changed, so that later changes of others stay. */
const restoreLimits: Restore = async (database, { seq }, kept, present = {}) => {
  const left = await leftBy(database, seq, present);
  if (JSON.stringify(left) === JSON.stringify(present)) return kept;
  const paths = changedPaths(kept, left);
  const isAsLeft = paths.every(
    (path) => changedPaths({ at: valueAt(present, path) }, { at: valueAt(left, path) }).length === 0,
  );
  refuseUnless(isAsLeft);
  return paths.reduce<unknown>((document, path) => withValueAt(document, path, valueAt(kept, path)), present);
};

/** The stored policies as a change has left them: what the next one has kept. */
async function leftBy(database: Database, seq: number, present: unknown): Promise<unknown> {
  const next = and(eq(audit.targetType, 'policies'), eq(audit.target, POLICIES_SETTING), gt(audit.seq, seq));
  const rows = await database.drizzle
    .select({ value: keptSettings.value })
    .from(audit)
    .innerJoin(keptSettings, eq(keptSettings.revision, audit.seq))
    .where(next)
    .orderBy(asc(audit.seq))
    .limit(1);
  return rows[0] === undefined ? present : JSON.parse(rows[0].value);
}

/** Only the candidate of one limit. */
const restoreCandidate: Restore = async (_, { target, after }, kept, present = []) => {
  const [old, stored] = [kept, present].map((list) => StoredCandidatesSchema.parse(list));
  const left = StoredCandidatesSchema.parse(after === null ? [] : [after]);
  const idAt = (list: typeof left | undefined) => list?.find(({ place }) => place === target)?.id;
  refuseUnless(idAt(stored) === idAt(left));
  const others = (stored ?? []).filter(({ place }) => place !== target);
  return [...others, ...(old ?? []).filter(({ place }) => place === target)];
};

export const POLICIES_REVERSAL = reversalOf(POLICIES_SETTING, 'The limits were restored.', restoreLimits);
export const ROUTE_RULES_REVERSAL = reversalOf(ROUTE_RULES_SETTING, 'The route rules were restored.');
export const CANDIDATES_REVERSAL = reversalOf(
  CANDIDATES_SETTING,
  'The candidate limits were restored.',
  restoreCandidate,
);
export const CANDIDATE_RULES_REVERSAL = reversalOf(CANDIDATE_RULES_SETTING, 'The candidate route rules were restored.');
export const ALERTS_REVERSAL = reversalOf(ALERTS_SETTING, 'The alerts were restored.');
