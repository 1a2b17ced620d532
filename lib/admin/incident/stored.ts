import { readSetting, writeSetting } from '@/lib/admin/setting';
import { type Incident, StoredIncidentSchema } from '@/lib/contract/fields/incident';
import type { Database, Statement } from '@/lib/db/database';
import { INCIDENT_SETTING } from '@/lib/enforcement/rules-cache';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** The incident in force; null if none was started, or it is over. */
export async function incidentInForce(database: Database, now: Millis): Promise<Incident | null> {
  const incident = StoredIncidentSchema.parse((await readSetting(database, INCIDENT_SETTING)) ?? null);
  return incident !== null && Date.parse(incident.until) > now ? incident : null;
}

/** Stores an incident, or that there is none, as part of a change. */
export function writeIncident(context: Context, incident: Incident | null, revision: number): Statement {
  return writeSetting(context, INCIDENT_SETTING, incident, revision);
}
