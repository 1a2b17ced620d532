import type { EventWriter } from '@/lib/admin/alerts/events';
import { readAlertSettings } from '@/lib/admin/alerts/settings';
import { type AlertSettings, DEFAULT_ALERT_SETTINGS } from '@/lib/contract/alerts';
import { UnreadableRow } from '@/lib/db/errors';
import type { Services } from '@/lib/operation/services';

/** Reads the settings in force, and creates an event writer for the current time. */
export async function createAlertWriter(services: Services): Promise<{ settings: AlertSettings; writer: EventWriter }> {
  const { database, randomBytes, clock } = services;
  // Alerts go on with the defaults. The row was logged.
  const settings = await readAlertSettings(database).catch((error: unknown) => {
    if (error instanceof UnreadableRow) return DEFAULT_ALERT_SETTINGS;
    throw error;
  });
  return { settings, writer: { database, randomBytes, now: clock() } };
}
