import { readSetting, writeSetting } from '@/lib/admin/setting';
import { type Incident, StoredIncidentSchema } from '@/lib/contract/fields/incident';
import type { Database, Statement } from '@/lib/db/database';
import { INCIDENT_SETTING } from '@/lib/enforcement/rules-cache';
import type { Context } from '@/lib/operation/context';
import type { Millis } from '@/lib/units';

/** Reads the incident in force. Null if there is none, or if it has ended. */
export async function readIncidentInForce(database: Database, now: Millis): Promise<Incident | null> {
  const incident = StoredIncidentSchema.parse((await readSetting(database, INCIDENT_SETTING)) ?? null);
  return incident !== null && Date.parse(incident.until) > now ? incident : null;
}

/** Builds the statement that stores an incident, as part of a change. Null ends it. */
export function writeIncident(context: Context, incident: Incident | null, revision: number): Statement {
  return writeSetting(context, INCIDENT_SETTING, incident, revision);
}
