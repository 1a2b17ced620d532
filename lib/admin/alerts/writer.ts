import type { EventWriter } from '@/lib/admin/alerts/events';
import { alertSettings } from '@/lib/admin/alerts/settings';
import type { AlertSettings } from '@/lib/contract/alerts';
import type { Services } from '@/lib/operation/services';

/** The settings in force, and what writes events by them now. */
export async function alertWriter(services: Services): Promise<{ settings: AlertSettings; writer: EventWriter }> {
  const { database, randomBytes, clock } = services;
  const settings = await alertSettings(database);
  return { settings, writer: { database, randomBytes, now: clock() } };
}
