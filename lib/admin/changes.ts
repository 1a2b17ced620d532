import { ALERT_CHANGES, ALERT_SETTING_CHANGES } from '@/lib/admin/alerts/changes';
import { ALLOWLIST_CHANGES } from '@/lib/admin/allowlist/changes';
import { ASSESSMENT_CHANGES } from '@/lib/admin/assessments/changes';
import { CANDIDATE_CHANGES } from '@/lib/admin/candidates/changes';
import type { ChangeKind } from '@/lib/admin/change-kind/change-kind';
import { GRANT_CHANGES } from '@/lib/admin/grants/changes';
import { INCIDENT_CHANGES } from '@/lib/admin/incident/changes';
import { KEY_CHANGES } from '@/lib/admin/keys/changes';
import { COUNTER_CHANGES } from '@/lib/admin/limits/changes';
import { MEMBER_CHANGES } from '@/lib/admin/members/changes';
import { LIMIT_CHANGES } from '@/lib/admin/named-limits/changes';
import { OVERRIDE_CHANGES } from '@/lib/admin/overrides/changes';
import { POLICY_CHANGES } from '@/lib/admin/policies/changes';
import { ROUTE_RULE_CHANGES } from '@/lib/admin/route-rules/changes';
import { TOKEN_CHANGES } from '@/lib/admin/tokens/changes';
import { WEBHOOK_CHANGES } from '@/lib/admin/webhooks/changes';
import { type AuditAction, findUndoneAction } from '@/lib/contract/audit-actions';

const MOVE_BACK = { reversal: 'Move the counters back instead, with `sluice counters move`.' };

/** Every kind of change. Kinds without a resource only say why they cannot be undone. */
export const CHANGE_KINDS: Readonly<Record<AuditAction, ChangeKind>> = {
  ...ALLOWLIST_CHANGES,
  ...OVERRIDE_CHANGES,
  ...GRANT_CHANGES,
  ...COUNTER_CHANGES,
  ...POLICY_CHANGES,
  ...LIMIT_CHANGES,
  ...ROUTE_RULE_CHANGES,
  ...CANDIDATE_CHANGES,
  ...INCIDENT_CHANGES,
  ...KEY_CHANGES,
  ...TOKEN_CHANGES,
  ...MEMBER_CHANGES,
  ...ALERT_CHANGES,
  ...ALERT_SETTING_CHANGES,
  ...WEBHOOK_CHANGES,
  ...ASSESSMENT_CHANGES,
  'oauth_request.send': { reversal: 'A request that was sent cannot be called back.' },
  'state.release': { reversal: 'The next apply of a document that names it marks it again.' },
  'counter_store.move': MOVE_BACK,
  'counter_store.arrive': MOVE_BACK,
  'counter_store.adopt': MOVE_BACK,
  'database.restore': { reversal: 'Restore the database that it set aside instead.' },
};

/** Finds the kind of an action. An undo has the kind of its change. Undefined for an unknown action. */
export function findChangeKind(action: string): ChangeKind | undefined {
  const base = findUndoneAction(action);
  return base === null ? undefined : CHANGE_KINDS[base];
}

/** Finds the reversal of a change or of its undo. Returns a sentence if it cannot be undone. */
export function findReversal(action: string): ChangeKind['reversal'] {
  return findChangeKind(action)?.reversal ?? 'A change of this kind cannot be undone.';
}
