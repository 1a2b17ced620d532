import { changedPaths } from '@/lib/admin/change-kind/changed-paths';
import { membersOf, type UndoneRecord } from '@/lib/admin/change-kind/record';
import { type AuditAction, undoneAction } from '@/lib/contract/audit-actions';

const entry = ({ action, before, after }: UndoneRecord) => {
  const { type, identifier, class: endpointClass } = membersOf(before ?? after);
  return JSON.stringify([action.replace(/[.].*/, ''), type, identifier, endpointClass]);
};
const under =
  (name: string) =>
  ({ target }: UndoneRecord) =>
    `${name} ${target}`;
const candidate = under('candidate');
const candidateRules = () => 'candidate rules';
const grant = ({ before, after }: UndoneRecord) => `grant ${membersOf(before ?? after).id}`;
const key = under('key');
const member = under('member');

/** What each action changes. Two changes of the same thing can stand in each other's way, others cannot. */
const THINGS: Partial<Record<AuditAction, (record: UndoneRecord) => string>> = {
  'allowlist.add': entry,
  'allowlist.replace': entry,
  'allowlist.remove': entry,
  'override.set': entry,
  'override.replace': entry,
  'override.remove': entry,
  'counters.reset': under('counters'),
  'policies.update': under('document'),
  'candidate.set': candidate,
  'candidate.replace': candidate,
  'candidate.remove': candidate,
  'candidate.promote': candidate,
  'candidate_rules.set': candidateRules,
  'candidate_rules.replace': candidateRules,
  'candidate_rules.remove': candidateRules,
  'candidate_rules.promote': candidateRules,
  'route_rules.replace': under('document'),
  'incident.start': under('document'),
  'incident.change': under('document'),
  'incident.end': under('document'),
  'api_key.create': key,
  'api_key.update': key,
  'api_key.rotate': key,
  'api_key.revoke': key,
  'quota.tier': key,
  'quota.reset': under('usage'),
  'grant.add': grant,
  'grant.remove': grant,
  'token.create': under('token'),
  'token.revoke': under('token'),
  'member.invite': member,
  'member.update': member,
  'member.remove': member,
  'sign_in.update': under('document'),
  'alerts.update': under('document'),
  'webhook.create': under('webhook'),
  'webhook.update': under('webhook'),
  'webhook.remove': under('webhook'),
};

/** Whether two records changed the same thing: of the policies the same limits. */
export function isSameThing(one: UndoneRecord, other: UndoneRecord): boolean {
  const [thing, same] = [thingOf(one), thingOf(other)];
  if (thing === null || thing !== same) return false;
  if (undoneAction(one.action) !== 'policies.update') return true;
  const changed = new Set(changedPaths(one.before, one.after).map((path) => path.join('.')));
  return changedPaths(other.before, other.after).some((path) => changed.has(path.join('.')));
}

/** The thing that a record changed; null where nothing can come between. */
function thingOf(record: UndoneRecord): string | null {
  const action = undoneAction(record.action);
  return action && (THINGS[action]?.(record) ?? null);
}
