import { eq } from 'drizzle-orm';
import { settings } from '@/drizzle/schema';
import { type Incident, StoredIncidentSchema } from '@/lib/contract/fields/incident';
import type { Database, Statement } from '@/lib/db/database';
import { INCIDENT_SETTING } from '@/lib/enforcement/rules-cache';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** The incident in force; null where none was started, or it is over. */
export async function incidentInForce({ drizzle }: Database, now: Millis): Promise<Incident | null> {
  const [row] = await drizzle.select().from(settings).where(eq(settings.name, INCIDENT_SETTING));
  const incident = row === undefined ? null : StoredIncidentSchema.parse(JSON.parse(row.value));
  return incident !== null && Date.parse(incident.until) > now ? incident : null;
}

/** Stores an incident, or that there is none, as part of a change. */
export function writeIncident({ services, now }: Context, incident: Incident | null, revision: number): Statement {
  const row = { value: JSON.stringify(incident), updatedAt: now, revision };
  return services.database.drizzle
    .insert(settings)
    .values({ name: INCIDENT_SETTING, ...row })
    .onConflictDoUpdate({ target: settings.name, set: row });
}
