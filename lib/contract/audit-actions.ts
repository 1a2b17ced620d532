/** Everything that a change can be called in the audit log. The console has a sentence for each. */
export const AUDIT_ACTIONS = [
  'allowlist.add',
  'allowlist.replace',
  'allowlist.remove',
  'override.set',
  'override.replace',
  'override.remove',
  'counters.reset',
  'policies.update',
  'route_rules.replace',
  'incident.start',
  'incident.change',
  'incident.end',
  'api_key.create',
  'api_key.update',
  'api_key.rotate',
  'api_key.revoke',
  'quota.tier',
  'quota.reset',
  'quota.threshold',
  'grant.add',
  'grant.remove',
  'token.create',
  'token.revoke',
  'member.bootstrap',
  'member.invite',
  'member.update',
  'member.password',
  'member.join',
  'member.follow_claim',
  'member.bind',
  'member.unbind',
  'member.refuse_sign_in',
  'member.remove',
  'member.create_invitation',
  'member.accept_invitation',
  'member.reset_owner',
  'member.end_session',
  'member.end_sessions',
  'member.start_second_factor',
  'member.enable_second_factor',
  'member.disable_second_factor',
  'member.renew_recovery_codes',
  'member.reset_second_factor',
  'state.release',
  'sign_in.update',
  'assessment.start',
  'assessment.remove',
  'finding.accept',
  'finding.withdraw',
  'oauth_request.send',
  'counter_store.move',
  'counter_store.arrive',
  'counter_store.adopt',
  'database.restore',
] as const;

export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** What the undo of a change is called, and the undo of that undo too. */
export type UndoAction = `${AuditAction}.undo`;

/** The action that was taken back, by that of its undo; any other action itself. Null for one of no known name. */
export function undoneAction(action: string): AuditAction | null {
  return AUDIT_ACTIONS.find((known) => action === known || action === `${known}.undo`) ?? null;
}
