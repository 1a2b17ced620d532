import * as activity from '@/lib/contract/activity';
import * as alerts from '@/lib/contract/alerts';
import * as allowlist from '@/lib/contract/allowlist';
import * as assessments from '@/lib/contract/assessments';
import * as auditLog from '@/lib/contract/audit-log';
import * as batch from '@/lib/contract/batch';
import * as callers from '@/lib/contract/callers';
import * as candidates from '@/lib/contract/candidates';
import * as check from '@/lib/contract/check';
import * as counters from '@/lib/contract/counters';
import * as decisions from '@/lib/contract/decisions';
import * as exceptions from '@/lib/contract/exceptions';
import * as explain from '@/lib/contract/explain';
import * as firstHour from '@/lib/contract/first-hour';
import * as forecasts from '@/lib/contract/forecasts';
import * as forwardAuth from '@/lib/contract/forward-auth';
import * as grants from '@/lib/contract/grants';
import * as incident from '@/lib/contract/incident';
import * as invitations from '@/lib/contract/invitations';
import * as keyStatistics from '@/lib/contract/key-statistics';
import * as keys from '@/lib/contract/keys';
import * as lab from '@/lib/contract/lab';
import * as labDevice from '@/lib/contract/lab-device';
import * as labLogout from '@/lib/contract/lab-logout';
import * as labProtocol from '@/lib/contract/lab-protocol';
import * as limitUse from '@/lib/contract/limit-use';
import * as members from '@/lib/contract/members';
import * as namedLimits from '@/lib/contract/named-limits';
import * as oauthRequests from '@/lib/contract/oauth-requests';
import type { Contract } from '@/lib/contract/operation';
import * as overrides from '@/lib/contract/overrides';
import * as policies from '@/lib/contract/policies';
import * as policiesDryRun from '@/lib/contract/policies-dry-run';
import * as quota from '@/lib/contract/quota';
import * as refund from '@/lib/contract/refund';
import * as routeRules from '@/lib/contract/route-rules';
import * as secondFactor from '@/lib/contract/second-factor';
import * as service from '@/lib/contract/service';
import * as session from '@/lib/contract/session';
import * as settle from '@/lib/contract/settle';
import * as state from '@/lib/contract/state';
import * as stateRelease from '@/lib/contract/state-release';
import * as statistics from '@/lib/contract/statistics';
import * as tokens from '@/lib/contract/tokens';
import * as undo from '@/lib/contract/undo';
import * as webhooks from '@/lib/contract/webhooks';

/** Every operation of the HTTP API: all contracts that resources export, in the order of the document. */
export const CONTRACTS: readonly Contract[] = [
  allowlist,
  overrides,
  counters,
  explain,
  policies,
  policiesDryRun,
  candidates,
  namedLimits,
  routeRules,
  incident,
  keys,
  quota,
  grants,
  exceptions,
  state,
  stateRelease,
  batch,
  statistics,
  forecasts,
  keyStatistics,
  activity,
  firstHour,
  decisions,
  callers,
  alerts,
  webhooks,
  auditLog,
  undo,
  tokens,
  members,
  invitations,
  session,
  secondFactor,
  check,
  refund,
  settle,
  forwardAuth,
  labProtocol,
  labDevice,
  labLogout,
  limitUse,
  lab,
  assessments,
  oauthRequests,
  service,
].flatMap((resource: Readonly<Record<string, unknown>>) => Object.values(resource).flat().filter(isContract));

function isContract(exported: unknown): exported is Contract {
  return typeof exported === 'object' && exported !== null && 'access' in exported && 'response' in exported;
}
