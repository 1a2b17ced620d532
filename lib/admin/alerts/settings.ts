import { change } from '@/lib/admin/change';
import { ALERTS_SETTING, managedHeader, readSetting, writeSetting } from '@/lib/admin/setting';
import {
  type AlertSettings,
  AlertSettingsSchema,
  AlertsState,
  getAlertSettings as contractOfGet,
  putAlertSettings as contractOfPut,
} from '@/lib/contract/alerts';
import type { Database } from '@/lib/db/database';
import { documentTag, requireMatch } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

/** The sections that were ever set. */
async function storedSections(database: Database): Promise<AlertsState> {
  return AlertsState.parse((await readSetting(database, ALERTS_SETTING)) ?? {});
}

/** The settings in force. */
export async function alertSettings(database: Database): Promise<AlertSettings> {
  return AlertSettingsSchema.parse(await storedSections(database));
}

export const getAlertSettings = implement(contractOfGet, async ({ services: { database } }) => {
  const settings = await alertSettings(database);
  const headers = { ETag: documentTag(settings), ...(await managedHeader(database, ALERTS_SETTING)) };
  return new Reply(settings, { headers });
});

export const putAlertSettings = implement(contractOfPut, (context, { body: after }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const stored = await storedSections(database);
    const before = AlertSettingsSchema.parse(stored);
    requireMatch(context.facts.ifMatch, documentTag(before));
    return {
      audit: { action: 'alerts.update', target: ALERTS_SETTING, before, after },
      statements: writeSetting(database, ALERTS_SETTING, { before: stored, after }, context.now, revision),
      result: new Reply(after, { headers: { ETag: documentTag(after) } }),
    };
  });
});
