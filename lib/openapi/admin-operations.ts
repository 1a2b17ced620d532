import { addAllowlistEntry } from '@/lib/admin/operations/add-allowlist-entry';
import { changeOwnPassword } from '@/lib/admin/operations/change-own-password';
import { changeTier } from '@/lib/admin/operations/change-tier';
import { createApiKey } from '@/lib/admin/operations/create-api-key';
import { createToken } from '@/lib/admin/operations/create-token';
import { dryRunPolicies } from '@/lib/admin/operations/dry-run-policies';
import { forecastQuotas } from '@/lib/admin/operations/forecast-quotas';
import { getApiKey } from '@/lib/admin/operations/get-api-key';
import { getPolicies } from '@/lib/admin/operations/get-policies';
import { getQuota } from '@/lib/admin/operations/get-quota';
import { getRouteRules } from '@/lib/admin/operations/get-route-rules';
import { inspectCounters } from '@/lib/admin/operations/inspect-counters';
import { inviteMember } from '@/lib/admin/operations/invite-member';
import { listAllowlist } from '@/lib/admin/operations/list-allowlist';
import { listApiKeys } from '@/lib/admin/operations/list-api-keys';
import { listAudit } from '@/lib/admin/operations/list-audit';
import { listDecisions } from '@/lib/admin/operations/list-decisions';
import { listFailedSignIns } from '@/lib/admin/operations/list-failed-sign-ins';
import { listMembers } from '@/lib/admin/operations/list-members';
import { listOverrides } from '@/lib/admin/operations/list-overrides';
import { listQuotas } from '@/lib/admin/operations/list-quotas';
import { listTokens } from '@/lib/admin/operations/list-tokens';
import { patchPolicies } from '@/lib/admin/operations/patch-policies';
import { putOverride } from '@/lib/admin/operations/put-override';
import { readKeyStatistics } from '@/lib/admin/operations/read-key-statistics';
import { readMetrics } from '@/lib/admin/operations/read-metrics';
import { readOverview } from '@/lib/admin/operations/read-overview';
import { readOwnUsage } from '@/lib/admin/operations/read-own-usage';
import { readStatistics } from '@/lib/admin/operations/read-statistics';
import { removeAllowlistEntry } from '@/lib/admin/operations/remove-allowlist-entry';
import { removeMember, removeNamedMember } from '@/lib/admin/operations/remove-member';
import { removeOverride } from '@/lib/admin/operations/remove-override';
import { replaceRouteRules } from '@/lib/admin/operations/replace-route-rules';
import { resetCounters } from '@/lib/admin/operations/reset-counters';
import { resetQuota } from '@/lib/admin/operations/reset-quota';
import { revokeApiKey } from '@/lib/admin/operations/revoke-api-key';
import { revokeToken } from '@/lib/admin/operations/revoke-token';
import { rotateApiKey } from '@/lib/admin/operations/rotate-api-key';
import { runHousekeeping } from '@/lib/admin/operations/run-housekeeping';
import { updateApiKey } from '@/lib/admin/operations/update-api-key';
import { updateMember, updateNamedMember } from '@/lib/admin/operations/update-member';
import { verifyAuditLog } from '@/lib/admin/operations/verify-audit-log';
import { whoAmI } from '@/lib/admin/operations/who-am-i';
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
