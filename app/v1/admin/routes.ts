import type { AdminRoutes } from '@/lib/process/administer';
import * as alertsHistory from './alerts/history/route';
import * as alerts from './alerts/route';
import * as apiKeysIdRotate from './api-keys/[id]/rotate/route';
import * as apiKeysId from './api-keys/[id]/route';
import * as apiKeys from './api-keys/route';
import * as auditSeqUndo from './audit/[seq]/undo/route';
import * as auditActors from './audit/actors/route';
import * as audit from './audit/route';
import * as auditVerify from './audit/verify/route';
import * as batch from './batch/route';
import * as candidatesPromote from './candidates/promote/route';
import * as candidates from './candidates/route';
import * as candidatesRouteRulesPromote from './candidates/route-rules/promote/route';
import * as candidatesRouteRules from './candidates/route-rules/route';
import * as decisionsCallers from './decisions/callers/route';
import * as decisions from './decisions/route';
import * as exceptions from './exceptions/route';
import * as firstSteps from './first-steps/route';
import * as gatewaysGateway from './gateways/[gateway]/route';
import * as grants from './grants/route';
import * as incident from './incident/route';
import * as membersIdInvitation from './members/[id]/invitation/route';
import * as membersId from './members/[id]/route';
import * as membersIdSecondFactor from './members/[id]/second-factor/route';
import * as membersIdSessions from './members/[id]/sessions/route';
import * as members from './members/route';
import * as overview from './overview/route';
import * as policiesDryRun from './policies/dry-run/route';
import * as policies from './policies/route';
import * as rateLimitAllowlist from './rate-limit/allowlist/route';
import * as rateLimitCounters from './rate-limit/counters/route';
import * as rateLimitExplain from './rate-limit/explain/route';
import * as rateLimitOverrides from './rate-limit/overrides/route';
import * as rateLimitQuotaApi_keyReset from './rate-limit/quota/[api_key]/reset/route';
import * as rateLimitQuotaApi_key from './rate-limit/quota/[api_key]/route';
import * as rateLimitQuotaApi_keyTier from './rate-limit/quota/[api_key]/tier/route';
import * as rateLimitQuotas from './rate-limit/quotas/route';
import * as rateLimitReset from './rate-limit/reset/route';
import * as routeRules from './route-rules/route';
import * as sessionFailedSignIns from './session/failed-sign-ins/route';
import * as sessionListId from './session/list/[id]/route';
import * as sessionList from './session/list/route';
import * as sessionPassword from './session/password/route';
import * as sessionRecoveryCodes from './session/recovery-codes/route';
import * as session from './session/route';
import * as sessionSecondFactor from './session/second-factor/route';
import * as signIn from './sign-in/route';
import * as statePlan from './state/plan/route';
import * as stateRelease from './state/release/route';
import * as state from './state/route';
import * as statisticsActivity from './statistics/activity/route';
import * as statisticsForecast from './statistics/forecast/route';
import * as statisticsKeysIdOrigins from './statistics/keys/[id]/origins/route';
import * as statisticsKeysId from './statistics/keys/[id]/route';
import * as statistics from './statistics/route';
import * as tokensId from './tokens/[id]/route';
import * as tokens from './tokens/route';
import * as webhooksIdDeliveriesDeliveryReplay from './webhooks/[id]/deliveries/[delivery]/replay/route';
import * as webhooksIdDeliveries from './webhooks/[id]/deliveries/route';
import * as webhooksIdRotate from './webhooks/[id]/rotate/route';
import * as webhooksId from './webhooks/[id]/route';
import * as webhooksIdTest from './webhooks/[id]/test/route';
import * as webhooks from './webhooks/route';

/** The route files below this folder, for changes that are answered without Next. A test compares them. */
export const adminRoutes: AdminRoutes = {
  '/v1/admin/alerts': alerts,
  '/v1/admin/alerts/history': alertsHistory,
  '/v1/admin/api-keys': apiKeys,
  '/v1/admin/api-keys/{id}': apiKeysId,
  '/v1/admin/api-keys/{id}/rotate': apiKeysIdRotate,
  '/v1/admin/audit': audit,
  '/v1/admin/audit/{seq}/undo': auditSeqUndo,
  '/v1/admin/audit/actors': auditActors,
  '/v1/admin/audit/verify': auditVerify,
  '/v1/admin/batch': batch,
  '/v1/admin/candidates': candidates,
  '/v1/admin/candidates/promote': candidatesPromote,
  '/v1/admin/candidates/route-rules': candidatesRouteRules,
  '/v1/admin/candidates/route-rules/promote': candidatesRouteRulesPromote,
  '/v1/admin/decisions': decisions,
  '/v1/admin/decisions/callers': decisionsCallers,
  '/v1/admin/exceptions': exceptions,
  '/v1/admin/first-steps': firstSteps,
  '/v1/admin/gateways/{gateway}': gatewaysGateway,
  '/v1/admin/grants': grants,
  '/v1/admin/incident': incident,
  '/v1/admin/members': members,
  '/v1/admin/members/{id}': membersId,
  '/v1/admin/members/{id}/invitation': membersIdInvitation,
  '/v1/admin/members/{id}/second-factor': membersIdSecondFactor,
  '/v1/admin/members/{id}/sessions': membersIdSessions,
  '/v1/admin/overview': overview,
  '/v1/admin/policies': policies,
  '/v1/admin/policies/dry-run': policiesDryRun,
  '/v1/admin/rate-limit/allowlist': rateLimitAllowlist,
  '/v1/admin/rate-limit/counters': rateLimitCounters,
  '/v1/admin/rate-limit/explain': rateLimitExplain,
  '/v1/admin/rate-limit/overrides': rateLimitOverrides,
  '/v1/admin/rate-limit/quota/{api_key}': rateLimitQuotaApi_key,
  '/v1/admin/rate-limit/quota/{api_key}/reset': rateLimitQuotaApi_keyReset,
  '/v1/admin/rate-limit/quota/{api_key}/tier': rateLimitQuotaApi_keyTier,
  '/v1/admin/rate-limit/quotas': rateLimitQuotas,
  '/v1/admin/rate-limit/reset': rateLimitReset,
  '/v1/admin/route-rules': routeRules,
  '/v1/admin/session': session,
  '/v1/admin/session/failed-sign-ins': sessionFailedSignIns,
  '/v1/admin/session/list': sessionList,
  '/v1/admin/session/list/{id}': sessionListId,
  '/v1/admin/session/password': sessionPassword,
  '/v1/admin/session/recovery-codes': sessionRecoveryCodes,
  '/v1/admin/session/second-factor': sessionSecondFactor,
  '/v1/admin/sign-in': signIn,
  '/v1/admin/state': state,
  '/v1/admin/state/plan': statePlan,
  '/v1/admin/state/release': stateRelease,
  '/v1/admin/statistics': statistics,
  '/v1/admin/statistics/activity': statisticsActivity,
  '/v1/admin/statistics/forecast': statisticsForecast,
  '/v1/admin/statistics/keys/{id}': statisticsKeysId,
  '/v1/admin/statistics/keys/{id}/origins': statisticsKeysIdOrigins,
  '/v1/admin/tokens': tokens,
  '/v1/admin/tokens/{id}': tokensId,
  '/v1/admin/webhooks': webhooks,
  '/v1/admin/webhooks/{id}': webhooksId,
  '/v1/admin/webhooks/{id}/deliveries': webhooksIdDeliveries,
  '/v1/admin/webhooks/{id}/deliveries/{delivery}/replay': webhooksIdDeliveriesDeliveryReplay,
  '/v1/admin/webhooks/{id}/rotate': webhooksIdRotate,
  '/v1/admin/webhooks/{id}/test': webhooksIdTest,
};
