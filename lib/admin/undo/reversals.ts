import { ALLOWLIST_REVERSAL } from '@/lib/admin/allowlist/reversal';
import {
  ALERTS_REVERSAL,
  CANDIDATE_RULES_REVERSAL,
  CANDIDATES_REVERSAL,
  POLICIES_REVERSAL,
  ROUTE_RULES_REVERSAL,
} from '@/lib/admin/change-kind/document-reversal';
import { COUNTERS_REVERSAL, USAGE_REVERSAL } from '@/lib/admin/change-kind/reset';
import type { Reversal } from '@/lib/admin/change-kind/reversal';
import { GRANT_REVERSAL } from '@/lib/admin/grants/reversal';
import { INCIDENT_REVERSAL } from '@/lib/admin/incident/reversal';
import { KEY_REVERSAL, TIER_REVERSAL } from '@/lib/admin/keys/reversals';
import { MEMBER_REVERSAL, PRESENCE_REVERSAL } from '@/lib/admin/members/reversals';
import { SIGN_IN_REVERSAL } from '@/lib/admin/members/sign-in-reversal';
import { OVERRIDE_REVERSAL } from '@/lib/admin/overrides/reversal';
import { TOKEN_REVERSAL } from '@/lib/admin/tokens/reversal';
import { WEBHOOK_REVERSAL } from '@/lib/admin/webhooks/reversal';
import { type AuditAction, undoneAction } from '@/lib/contract/audit-actions';

const NOTHING_CHANGED = 'It changed nothing that can be undone.';
const SIGNED_OUT = 'A session that was ended stays ended: sign in again.';
const SECOND_FACTOR = 'The second factor before is not kept: set it up again.';
const MOVE_BACK = 'Move the counters back instead, with `sluice counters move`.';
const DELETED = 'What it removed was deleted for good.';

/** How each action is taken back, or why it cannot be. */
const REVERSALS: Readonly<Record<AuditAction, Reversal | string>> = {
  'allowlist.add': ALLOWLIST_REVERSAL,
  'allowlist.replace': ALLOWLIST_REVERSAL,
  'allowlist.remove': ALLOWLIST_REVERSAL,
  'override.set': OVERRIDE_REVERSAL,
  'override.replace': OVERRIDE_REVERSAL,
  'override.remove': OVERRIDE_REVERSAL,
  'counters.reset': COUNTERS_REVERSAL,
  'policies.update': POLICIES_REVERSAL,
  'candidate.set': CANDIDATES_REVERSAL,
  'candidate.replace': CANDIDATES_REVERSAL,
  'candidate.remove': CANDIDATES_REVERSAL,
  'candidate.promote': CANDIDATES_REVERSAL,
  'candidate_rules.set': CANDIDATE_RULES_REVERSAL,
  'candidate_rules.replace': CANDIDATE_RULES_REVERSAL,
  'candidate_rules.remove': CANDIDATE_RULES_REVERSAL,
  'candidate_rules.promote': CANDIDATE_RULES_REVERSAL,
  'route_rules.replace': ROUTE_RULES_REVERSAL,
  'incident.start': INCIDENT_REVERSAL,
  'incident.change': INCIDENT_REVERSAL,
  'incident.end': INCIDENT_REVERSAL,
  'api_key.create': 'The secret of a new key is known already. Revoke the key instead.',
  'api_key.update': KEY_REVERSAL,
  'api_key.rotate': 'The new secret is known already. Rotate again, or revoke the key.',
  'api_key.revoke': KEY_REVERSAL,
  'quota.tier': TIER_REVERSAL,
  'quota.reset': USAGE_REVERSAL,
  'quota.threshold': NOTHING_CHANGED,
  'grant.add': GRANT_REVERSAL,
  'grant.remove': GRANT_REVERSAL,
  'token.create': 'The new token is known already. Revoke it instead.',
  'token.revoke': TOKEN_REVERSAL,
  'member.bootstrap': 'The first owner stays.',
  'member.invite': PRESENCE_REVERSAL,
  'member.update': MEMBER_REVERSAL,
  'member.password': 'The password before is not kept.',
  'member.join': 'Remove the member instead, and change their groups at the provider.',
  'member.follow_claim': 'The next sign-in would do it again: change the groups at the provider.',
  'member.bind': 'Unlink the account at the member instead.',
  'member.unbind': 'An account is linked again by its next sign-in.',
  'member.refuse_sign_in': NOTHING_CHANGED,
  'member.remove': PRESENCE_REVERSAL,
  'member.create_invitation': 'Create another invitation instead: only the newest one works.',
  'member.accept_invitation': 'An invitation works once.',
  'member.reset_owner': 'The password before is not kept.',
  'member.end_session': SIGNED_OUT,
  'member.end_sessions': SIGNED_OUT,
  'member.start_second_factor': NOTHING_CHANGED,
  'member.enable_second_factor': 'Switch the second factor off instead.',
  'member.disable_second_factor': SECOND_FACTOR,
  'member.renew_recovery_codes': 'The recovery codes before are not kept.',
  'member.reset_second_factor': SECOND_FACTOR,
  'state.release': 'The next apply of a document that names it marks it again.',
  'sign_in.update': SIGN_IN_REVERSAL,
  'alerts.update': ALERTS_REVERSAL,
  'webhook.create': 'Remove the webhook instead: its secret is known already.',
  'webhook.update': WEBHOOK_REVERSAL,
  'webhook.rotate': 'The new secret is known already. Rotate again.',
  'webhook.remove': WEBHOOK_REVERSAL,
  'webhook.test': 'What was sent cannot be called back.',
  'webhook.replay': 'What was sent cannot be called back.',
  'assessment.start': NOTHING_CHANGED,
  'assessment.remove': DELETED,
  'finding.accept': 'Withdraw the acceptance instead.',
  'finding.withdraw': 'Accept the finding again instead.',
  'oauth_request.send': 'A request that was sent cannot be called back.',
  'counter_store.move': MOVE_BACK,
  'counter_store.arrive': MOVE_BACK,
  'counter_store.adopt': MOVE_BACK,
  'database.restore': 'Restore the database that it set aside instead.',
};

/** How the changes of an action, and their undos, are taken back; a sentence where they cannot be. */
export function reversalOf(action: string): Reversal | string {
  const known = undoneAction(action);
  return known === null ? 'A change of this kind cannot be undone.' : REVERSALS[known];
}
