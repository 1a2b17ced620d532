import { acknowledgeAlerts, reopenAlerts } from '@/lib/admin/alerts/acknowledge';
import { listAlerts } from '@/lib/admin/alerts/list';
import { getAlertSettings, putAlertSettings } from '@/lib/admin/alerts/settings';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { acceptFinding } from '@/lib/admin/assessments/accept';
import { answerAuthorization } from '@/lib/admin/assessments/answer-authorization';
import { listAssessments } from '@/lib/admin/assessments/list';
import { listControls } from '@/lib/admin/assessments/list-controls';
import { playReplay } from '@/lib/admin/assessments/play-replay';
import { readAssessment } from '@/lib/admin/assessments/read';
import { removeAssessment } from '@/lib/admin/assessments/remove';
import { startAssessment } from '@/lib/admin/assessments/start';
import { withdrawAcceptance } from '@/lib/admin/assessments/withdraw-acceptance';
import { listAudit } from '@/lib/admin/audit-log/list';
import { listAuditActors } from '@/lib/admin/audit-log/list-actors';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { createRunBatch } from '@/lib/admin/batch/run';
import { listCandidates } from '@/lib/admin/candidates/list';
import { promoteCandidate } from '@/lib/admin/candidates/promote';
import { removeCandidate } from '@/lib/admin/candidates/remove';
import { getCandidateRules } from '@/lib/admin/candidates/rules/get';
import { promoteCandidateRules } from '@/lib/admin/candidates/rules/promote';
import { removeCandidateRules } from '@/lib/admin/candidates/rules/remove';
import { setCandidateRules } from '@/lib/admin/candidates/rules/set';
import { setCandidate } from '@/lib/admin/candidates/set';
import { countDecisions } from '@/lib/admin/decisions/count';
import { listDecisions } from '@/lib/admin/decisions/list';
import { listCallers } from '@/lib/admin/decisions/list-callers';
import { listExceptions } from '@/lib/admin/exceptions/list';
import { readFirstSteps } from '@/lib/admin/first-hour/read-first-steps';
import { readGatewayRecipe } from '@/lib/admin/first-hour/read-gateway-recipe';
import { addGrant } from '@/lib/admin/grants/add';
import { listGrants } from '@/lib/admin/grants/list';
import { removeGrant } from '@/lib/admin/grants/remove';
import { runHousekeeping } from '@/lib/admin/housekeeping/run';
import { endIncident } from '@/lib/admin/incident/end';
import { getIncident } from '@/lib/admin/incident/get';
import { setIncident } from '@/lib/admin/incident/set';
import { changeTier } from '@/lib/admin/keys/change-tier';
import { createApiKey } from '@/lib/admin/keys/create';
import { forecastQuotas } from '@/lib/admin/keys/forecast-quotas';
import { getApiKey } from '@/lib/admin/keys/get';
import { getQuota } from '@/lib/admin/keys/get-quota';
import { listApiKeys } from '@/lib/admin/keys/list';
import { listQuotas } from '@/lib/admin/keys/list-quotas';
import { readOwnUsage } from '@/lib/admin/keys/read-own-usage';
import { resetQuota } from '@/lib/admin/keys/reset-quota';
import { revokeApiKey } from '@/lib/admin/keys/revoke';
import { rotateApiKey } from '@/lib/admin/keys/rotate';
import { updateApiKey } from '@/lib/admin/keys/update';
import { explainDecision } from '@/lib/admin/limits/explain-decision';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { previewReset } from '@/lib/admin/limits/preview-reset';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { createInvitation } from '@/lib/admin/members/create-invitation';
import { endMemberSessions, endOtherSessions } from '@/lib/admin/members/end-sessions';
import { inviteMember } from '@/lib/admin/members/invite';
import { listMembers } from '@/lib/admin/members/list';
import { readInvitation } from '@/lib/admin/members/read-invitation';
import { removeMember, removeNamedMember } from '@/lib/admin/members/remove';
import { resetSecondFactor } from '@/lib/admin/members/reset-second-factor';
import { getSignInSettings, putSignInSettings } from '@/lib/admin/members/sign-in-settings';
import { updateMember, updateNamedMember } from '@/lib/admin/members/update';
import { createLimit } from '@/lib/admin/named-limits/create';
import { getLimit } from '@/lib/admin/named-limits/get';
import { listLimits } from '@/lib/admin/named-limits/list';
import { removeLimit } from '@/lib/admin/named-limits/remove';
import { updateLimit } from '@/lib/admin/named-limits/update';
import { sendOAuthRequest } from '@/lib/admin/oauth-requests/send';
import { putOverride } from '@/lib/admin/overrides/add';
import { listOverrides } from '@/lib/admin/overrides/list';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { dryRunPolicies } from '@/lib/admin/policies/dry-run';
import { getPolicies } from '@/lib/admin/policies/get';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { getRouteRules } from '@/lib/admin/route-rules/get';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { changeOwnPassword } from '@/lib/admin/session/change-password';
import { listFailedSignIns } from '@/lib/admin/session/list-failed-sign-ins';
import { endOwnSession, listOwnSessions } from '@/lib/admin/session/own-sessions';
import {
  confirmSecondFactor,
  getSecondFactor,
  renewRecoveryCodes,
  startSecondFactor,
  turnOffSecondFactor,
} from '@/lib/admin/session/second-factor';
import { whoAmI } from '@/lib/admin/session/who-am-i';
import { applyState } from '@/lib/admin/state/apply';
import { planState } from '@/lib/admin/state/plan';
import { readState } from '@/lib/admin/state/read';
import { readStateSchema } from '@/lib/admin/state/read-schema';
import { releaseFromState } from '@/lib/admin/state/release';
import { readStatistics } from '@/lib/admin/statistics/read';
import { readActivity } from '@/lib/admin/statistics/read-activity';
import { readKeyStatistics } from '@/lib/admin/statistics/read-key';
import { readKeyOrigins } from '@/lib/admin/statistics/read-key-origins';
import { readLimitUse } from '@/lib/admin/statistics/read-limit-use';
import { readMetrics } from '@/lib/admin/statistics/read-metrics';
import { readOverview } from '@/lib/admin/statistics/read-overview';
import { createToken } from '@/lib/admin/tokens/create';
import { listTokens } from '@/lib/admin/tokens/list';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import { undoChange } from '@/lib/admin/undo/undo';
import { createWebhook } from '@/lib/admin/webhooks/create';
import { listDeliveries } from '@/lib/admin/webhooks/deliveries';
import { listWebhooks } from '@/lib/admin/webhooks/list';
import { removeWebhook } from '@/lib/admin/webhooks/remove';
import { replayDelivery } from '@/lib/admin/webhooks/replay';
import { rotateWebhook } from '@/lib/admin/webhooks/rotate';
import { testWebhook } from '@/lib/admin/webhooks/test';
import { updateWebhook } from '@/lib/admin/webhooks/update';
import { readOpenApi } from '@/lib/openapi/read-openapi';
import type { Operation } from '@/lib/operation/operation';

const SINGLE_CALLS: readonly Operation[] = [
  listAlerts,
  acknowledgeAlerts,
  reopenAlerts,
  getAlertSettings,
  putAlertSettings,
  listAllowlist,
  addAllowlistEntry,
  removeAllowlistEntry,
  acceptFinding,
  withdrawAcceptance,
  answerAuthorization,
  readAssessment,
  removeAssessment,
  listAssessments,
  startAssessment,
  listControls,
  playReplay,
  listAuditActors,
  listAudit,
  verifyAuditLog,
  promoteCandidate,
  promoteCandidateRules,
  getCandidateRules,
  setCandidateRules,
  removeCandidateRules,
  listCandidates,
  setCandidate,
  removeCandidate,
  listCallers,
  countDecisions,
  listDecisions,
  listExceptions,
  readFirstSteps,
  readGatewayRecipe,
  listGrants,
  addGrant,
  removeGrant,
  getIncident,
  setIncident,
  endIncident,
  rotateApiKey,
  getApiKey,
  updateApiKey,
  revokeApiKey,
  listApiKeys,
  createApiKey,
  resetQuota,
  getQuota,
  changeTier,
  listQuotas,
  forecastQuotas,
  readOwnUsage,
  dryRunPolicies,
  getPolicies,
  patchPolicies,
  inspectCounters,
  explainDecision,
  previewReset,
  resetCounters,
  getRouteRules,
  replaceRouteRules,
  createInvitation,
  updateMember,
  removeMember,
  resetSecondFactor,
  endMemberSessions,
  listMembers,
  inviteMember,
  updateNamedMember,
  removeNamedMember,
  endOtherSessions,
  getSignInSettings,
  putSignInSettings,
  readInvitation,
  sendOAuthRequest,
  readOpenApi,
  getLimit,
  updateLimit,
  removeLimit,
  listLimits,
  createLimit,
  listOverrides,
  putOverride,
  removeOverride,
  runHousekeeping,
  listFailedSignIns,
  endOwnSession,
  listOwnSessions,
  changeOwnPassword,
  renewRecoveryCodes,
  whoAmI,
  getSecondFactor,
  startSecondFactor,
  confirmSecondFactor,
  turnOffSecondFactor,
  planState,
  releaseFromState,
  readState,
  applyState,
  readStateSchema,
  readMetrics,
  readOverview,
  readActivity,
  readKeyOrigins,
  readKeyStatistics,
  readLimitUse,
  readStatistics,
  revokeToken,
  listTokens,
  createToken,
  undoChange,
  replayDelivery,
  listDeliveries,
  rotateWebhook,
  updateWebhook,
  removeWebhook,
  testWebhook,
  listWebhooks,
  createWebhook,
];

/** Runs one operation on many items. */
export const runBatch = createRunBatch(SINGLE_CALLS);

/**
 * Lists every operation of the API. Only here contracts are joined to implementations.
 * `tests/unit/api/operations.test.ts` fails for a missing contract. The decision API, the lab and the health checks
 * serve their contracts themselves.
 */
export const OPERATIONS: readonly Operation[] = [...SINGLE_CALLS, runBatch];
