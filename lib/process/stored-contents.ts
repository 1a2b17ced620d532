import { z } from 'zod';
import { parseAlertData } from '@/lib/admin/alerts/row';
import { parsePreflight } from '@/lib/admin/assessments/row';
import { parseKeptMember } from '@/lib/admin/members/removal';
import { ALERTS_SETTING } from '@/lib/admin/setting';
import { parseAttempts } from '@/lib/admin/webhooks/attempts';
import { parseAlertEvents } from '@/lib/admin/webhooks/row';
import { SIGN_IN_SETTING } from '@/lib/auth/session';
import { ALERT_EVENTS, AlertsState } from '@/lib/contract/alerts';
import { StoredCandidateRulesSchema, StoredCandidatesSchema } from '@/lib/contract/fields/candidate';
import { StoredIncidentSchema } from '@/lib/contract/fields/incident';
import { KeyLimitsSchema, StoredNamedLimitsSchema } from '@/lib/contract/fields/named-limit';
import { NamedNumbersSchema } from '@/lib/contract/fields/numbers';
import { PoliciesPatch } from '@/lib/contract/policies';
import { StoredRouteRulesSchema } from '@/lib/contract/route-rules';
import { SignInSettingsSchema } from '@/lib/contract/second-factor';
import { ACTIVE_STORE_SETTING, parseActiveStore } from '@/lib/counters/active-store';
import type { RowReading } from '@/lib/db/readable-rows';
import {
  CANDIDATE_RULES_SETTING,
  CANDIDATES_SETTING,
  INCIDENT_SETTING,
  LIMITS_SETTING,
  POLICIES_SETTING,
  ROUTE_RULES_SETTING,
} from '@/lib/enforcement/rules-cache';
import { parseKeptHeaders } from '@/lib/operation/idempotency';

/** Parsers of the documents in `settings`. Others hold any JSON. */
const DOCUMENTS: Readonly<Record<string, (value: unknown) => unknown>> = {
  [POLICIES_SETTING]: (value) => PoliciesPatch.parse(value),
  [LIMITS_SETTING]: (value) => StoredNamedLimitsSchema.parse(value),
  [ROUTE_RULES_SETTING]: (value) => StoredRouteRulesSchema.parse(value),
  [INCIDENT_SETTING]: (value) => StoredIncidentSchema.parse(value),
  [CANDIDATES_SETTING]: (value) => StoredCandidatesSchema.parse(value),
  [CANDIDATE_RULES_SETTING]: (value) => StoredCandidateRulesSchema.nullable().parse(value),
  [ALERTS_SETTING]: (value) => AlertsState.parse(value),
  [SIGN_IN_SETTING]: (value) => SignInSettingsSchema.parse(value),
  [ACTIVE_STORE_SETTING]: parseActiveStore,
};

const AlertEvent = z.enum(ALERT_EVENTS);

/**
 * Parsers of all columns whose text has a form, by `table.column`. Leaves out the values of audit records, which are
 * shown as stored.
 */
export const STORED_CONTENTS: RowReading['contents'] = {
  'api_keys.limits': (json) => KeyLimitsSchema.parse(JSON.parse(json)),
  'alerts.event': (event) => AlertEvent.parse(event),
  'alerts.data': parseAlertData,
  'alert_events.data': parseAlertData,
  'assessments.preflight': parsePreflight,
  'deliveries.log': parseAttempts,
  'idempotency.headers': parseKeptHeaders,
  'kept_members.value': parseKeptMember,
  'kept_settings.value': (json) => JSON.parse(json),
  'lab_keys.jwk': (json) => JSON.parse(json),
  'lab_tickets.payload': (json) => JSON.parse(json),
  'overrides.numbers': (json) => NamedNumbersSchema.parse(JSON.parse(json)),
  'settings.value': (json, cellOf) => DOCUMENTS[String(cellOf('name'))]?.(JSON.parse(json)) ?? JSON.parse(json),
  'webhooks.events': parseAlertEvents,
};
