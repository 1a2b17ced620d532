import { describe, expect, test } from 'vitest';
import { FORMS } from '@/cli/operation/forms';
import { findReversal } from '@/lib/admin/changes';
import type { AuditAction } from '@/lib/contract/audit-actions';
import { CONTRACTS } from '@/lib/contract/contracts';
import { REMOVAL_KEPT_MINUTES } from '@/lib/contract/members';

/** What the audit log calls each change, by operation; with a member of its body it may be another. */
const ACTIONS: Readonly<Record<string, AuditAction | [AuditAction, Readonly<Record<string, AuditAction>>]>> = {
  addAllowlistEntry: 'allowlist.add',
  removeAllowlistEntry: 'allowlist.remove',
  putOverride: 'override.set',
  removeOverride: 'override.remove',
  resetCounters: 'counters.reset',
  patchPolicies: 'policies.update',
  createLimit: 'limit.create',
  updateLimit: 'limit.update',
  removeLimit: 'limit.remove',
  setCandidate: 'candidate.set',
  removeCandidate: 'candidate.remove',
  promoteCandidate: 'candidate.promote',
  setCandidateRules: 'candidate_rules.set',
  removeCandidateRules: 'candidate_rules.remove',
  promoteCandidateRules: 'route_rules.replace',
  replaceRouteRules: 'route_rules.replace',
  setIncident: 'incident.start',
  endIncident: 'incident.end',
  createApiKey: 'api_key.create',
  revokeApiKey: 'api_key.revoke',
  rotateApiKey: 'api_key.rotate',
  updateApiKey: 'api_key.update',
  changeTier: 'quota.tier',
  resetQuota: 'quota.reset',
  addGrant: 'grant.add',
  removeGrant: 'grant.remove',
  // Many records, each undone by itself.
  applyState: 'policies.update',
  releaseFromState: 'state.release',
  putAlertSettings: 'alerts.update',
  acknowledgeAlerts: 'alert.acknowledge',
  reopenAlerts: 'alert.reopen',
  createWebhook: 'webhook.create',
  updateWebhook: 'webhook.update',
  removeWebhook: 'webhook.remove',
  rotateWebhook: 'webhook.rotate',
  testWebhook: 'webhook.test',
  replayDelivery: 'webhook.replay',
  // An undo is undone as what it took back.
  undoChange: 'allowlist.remove',
  createToken: 'token.create',
  revokeToken: 'token.revoke',
  inviteMember: 'member.invite',
  updateMember: ['member.update', { password: 'member.password', provider_accounts: 'member.unbind' }],
  updateNamedMember: ['member.update', { password: 'member.password', provider_accounts: 'member.unbind' }],
  removeMember: 'member.remove',
  removeNamedMember: 'member.remove',
  createInvitation: 'member.create_invitation',
  endMemberSessions: 'member.end_sessions',
  changeOwnPassword: 'member.password',
  endOtherSessions: 'member.end_sessions',
  endOwnSession: 'member.end_session',
  startSecondFactor: 'member.start_second_factor',
  confirmSecondFactor: 'member.enable_second_factor',
  turnOffSecondFactor: 'member.disable_second_factor',
  renewRecoveryCodes: 'member.renew_recovery_codes',
  resetSecondFactor: 'member.reset_second_factor',
  putSignInSettings: 'sign_in.update',
  startAssessment: 'assessment.start',
  removeAssessment: 'assessment.remove',
  acceptFinding: 'finding.accept',
  withdrawAcceptance: 'finding.withdraw',
  sendOAuthRequest: 'oauth_request.send',
};

/** What `audit undo` does not take back and is not asked about, and why not. */
const NOT_ASKED: Readonly<Record<string, string>> = {
  'keys create': 'takes nothing away',
  'tokens create': 'takes nothing away',
  'webhooks create': 'takes nothing away',
  'assessments start': 'takes nothing away',
  'account start-second-factor': 'takes nothing away',
  'account confirm-second-factor': 'asks for a code',
  'account password': 'asks for the password',
  'webhooks test': 'sending is what it is for',
  'webhooks replay': 'sending is what it is for',
  'oauth request': 'sending is what it is for',
  'state release': 'the next apply does the opposite',
  'assessments accept': 'another command does the opposite',
  'assessments withdraw-acceptance': 'another command does the opposite',
};

const isUndone = (action: AuditAction) => typeof findReversal(action) !== 'string';
const changes = CONTRACTS.flatMap(({ id, command, reason }) =>
  command !== undefined && (reason !== undefined || id in ACTIONS) ? [{ id, command }] : [],
);

test('every change is known', () => {
  expect(changes.map(({ id }) => id).sort()).toEqual(Object.keys(ACTIONS).sort());
});

describe.each(changes)('$command', ({ id, command }) => {
  const [action, others] = [ACTIONS[id] ?? []].flat() as [AuditAction, Readonly<Record<string, AuditAction>>?];
  const { undoable = true, question, matter, notUndoableWith = [] } = FORMS[command] ?? {};

  test('names the command that undoes it where one does', () => {
    expect(undoable).toBe(isUndone(action));
    const kept = Object.entries(others ?? {}).flatMap(([name, other]) => (isUndone(other) ? [] : [name]));
    expect(notUndoableWith).toEqual(kept);
  });

  test('asks first where nothing undoes it, and says why it asks', () => {
    if (undoable) expect(question === undefined || matter !== undefined).toBe(true);
    else {
      expect(question !== undefined).toBe(!(command in NOT_ASKED));
      expect(matter).toBeUndefined();
    }
  });
});

test('the time in which a removal is undone is the one that is said', () => {
  expect(FORMS['members remove']?.matter).toContain(` ${REMOVAL_KEPT_MINUTES} minutes `);
});
