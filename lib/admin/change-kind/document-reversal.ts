import { eq } from 'drizzle-orm';
import { keptSettings } from '@/drizzle/schema';
import type { UndoneRecord } from '@/lib/admin/change-kind/record';
import { type Reversal, refuse } from '@/lib/admin/change-kind/reversal';
import { type KeptSetting, readSetting, replaceSetting } from '@/lib/admin/setting';
import type { Database } from '@/lib/db/database';

/** Builds the restored document. @param kept its version before the change @param present its current version */
export type Restore = (database: Database, record: UndoneRecord, before: unknown, present: unknown) => Promise<unknown>;

/** Undoes a change of a document, whose previous text is kept. Restores all of it unless `restore` is given. */
export function buildDocumentReversal(
  name: KeptSetting,
  restored: string,
  restore: Restore = async (_, __, before) => before,
): Reversal {
  return {
    role: 'owner',
    async plan(context, record, revision) {
      const { database } = context.services;
      const stored = await readKept(database, record.seq);
      if (stored === undefined) return refuse('The version of Sluice that made it stored no earlier state.');
      const before = await readSetting(database, name);
      const after = await restore(database, record, stored, before);
      return { statements: replaceSetting(context, name, { before, after }, revision), restored };
    },
  };
}

/** Reads the document from before a change. Undefined if it was not kept. */
async function readKept({ drizzle }: Database, seq: number): Promise<unknown> {
  const [row] = await drizzle.select().from(keptSettings).where(eq(keptSettings.revision, seq));
  return row && JSON.parse(row.value);
}
