import type { EventWriter } from '@/lib/admin/alerts/events';
import { alertSettings } from '@/lib/admin/alerts/settings';
import type { AlertSettings } from '@/lib/contract/alerts';
import type { Services } from '@/lib/operation/services';

/** Reads the settings in force, and creates an event writer for the current time. */
export async function alertWriter(services: Services): Promise<{ settings: AlertSettings; writer: EventWriter }> {
  const { database, randomBytes, clock } = services;
  const settings = await alertSettings(database);
  return { settings, writer: { database, randomBytes, now: clock() } };
}
