import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';
import { removeAllowlistEntry } from '@/lib/admin/allowlist/remove';
import { listAudit } from '@/lib/admin/audit-log/list';
import { verifyAuditLog } from '@/lib/admin/audit-log/verify';
import { listDecisions } from '@/lib/admin/decisions/list';
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
import { dryRunPolicies } from '@/lib/admin/limits/dry-run-policies';
import { getPolicies } from '@/lib/admin/limits/get-policies';
import { getRouteRules } from '@/lib/admin/limits/get-route-rules';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { patchPolicies } from '@/lib/admin/limits/patch-policies';
import { replaceRouteRules } from '@/lib/admin/limits/replace-route-rules';
import { resetCounters } from '@/lib/admin/limits/reset-counters';
import { inviteMember } from '@/lib/admin/members/invite';
import { listMembers } from '@/lib/admin/members/list';
import { removeMember, removeNamedMember } from '@/lib/admin/members/remove';
import { updateMember, updateNamedMember } from '@/lib/admin/members/update';
import { putOverride } from '@/lib/admin/overrides/add';
import { listOverrides } from '@/lib/admin/overrides/list';
import { removeOverride } from '@/lib/admin/overrides/remove';
import { runHousekeeping } from '@/lib/admin/service/run-housekeeping';
import { changeOwnPassword } from '@/lib/admin/session/change-password';
import { listFailedSignIns } from '@/lib/admin/session/list-failed-sign-ins';
import { whoAmI } from '@/lib/admin/session/who-am-i';
import { readStatistics } from '@/lib/admin/statistics/read';
import { readKeyStatistics } from '@/lib/admin/statistics/read-key';
import { readMetrics } from '@/lib/admin/statistics/read-metrics';
import { readOverview } from '@/lib/admin/statistics/read-overview';
import { createToken } from '@/lib/admin/tokens/create';
import { listTokens } from '@/lib/admin/tokens/list';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import type { DescribedOperation } from '@/lib/openapi/described-operation';

/** Every operation that is mounted through `endpoint`, in the order of the document. */
export const ADMIN_OPERATIONS: readonly DescribedOperation[] = [
  addAllowlistEntry,
  removeAllowlistEntry,
  listAllowlist,
  resetCounters,
  inspectCounters,
  getQuota,
  resetQuota,
  listQuotas,
  changeTier,
  { ...readOwnUsage, access: 'api-key' },
  changeOwnPassword,
  createApiKey,
  createToken,
  dryRunPolicies,
  forecastQuotas,
  getApiKey,
  getPolicies,
  getRouteRules,
  inviteMember,
  listApiKeys,
  listAudit,
  listDecisions,
  listFailedSignIns,
  listMembers,
  listOverrides,
  listTokens,
  patchPolicies,
  putOverride,
  readKeyStatistics,
  readMetrics,
  readOverview,
  readStatistics,
  removeMember,
  removeNamedMember,
  removeOverride,
  replaceRouteRules,
  revokeApiKey,
  revokeToken,
  rotateApiKey,
  { ...runHousekeeping, access: 'cron' },
  updateApiKey,
  updateMember,
  updateNamedMember,
  verifyAuditLog,
  whoAmI,
];
