import { change } from '@/lib/admin/change';
import { ALERTS_SETTING, type DocumentKind, planDocument, readManagedHeader, readSetting } from '@/lib/admin/setting';
import {
  type AlertSettings,
  AlertSettingsSchema,
  AlertsState,
  getAlertSettings as contractOfGet,
  putAlertSettings as contractOfPut,
} from '@/lib/contract/alerts';
import type { Database } from '@/lib/db/database';
import { buildDocumentTag, requireMatch } from '@/lib/operation/entity-tag';
import { implement, Reply } from '@/lib/operation/operation';

export const ALERTS_DOCUMENT: DocumentKind = { name: ALERTS_SETTING, action: 'alerts.update' };

/** Reads the sections that were ever set. */
async function readStoredSections(database: Database): Promise<AlertsState> {
  return AlertsState.parse((await readSetting(database, ALERTS_SETTING)) ?? {});
}

/** Reads the settings in force. */
export async function readAlertSettings(database: Database): Promise<AlertSettings> {
  return AlertSettingsSchema.parse(await readStoredSections(database));
}

export const getAlertSettings = implement(contractOfGet, async ({ services: { database } }) => {
  const settings = await readAlertSettings(database);
  const headers = { ETag: buildDocumentTag(settings), ...(await readManagedHeader(database, ALERTS_SETTING)) };
  return new Reply(settings, { headers });
});

export const putAlertSettings = implement(contractOfPut, (context, { body: after }) => {
  const { database } = context.services;
  return change(context, async (revision) => {
    const stored = await readStoredSections(database);
    const before = AlertSettingsSchema.parse(stored);
    requireMatch(context.facts.ifMatch, buildDocumentTag(before));
    return {
      ...planDocument(context, ALERTS_DOCUMENT, { before, after, stored: { before: stored, after } }, revision),
      result: new Reply(after, { headers: { ETag: buildDocumentTag(after) } }),
    };
  });
});
