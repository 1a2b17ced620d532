import { computeDifferences } from '@/components/audit-log/differences';
import { formatLimit, formatLimitWindow, isLimit, isLimitWindow, lookUpName } from '@/components/audit-log/field-words';
import { formatDate } from '@/components/format/time';
import { describeIncident } from '@/components/incident/incident-words';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { ROLE_NAMES } from '@/components/vocabulary/roles';
import { TIER_NAMES } from '@/components/vocabulary/tiers';
import { AUDIT_ACTIONS, type AuditAction, findUndoneAction } from '@/lib/contract/audit-actions';
import type { AuditRecord } from '@/lib/contract/audit-log';
import { formatCount, formatNumber } from '@/lib/format-number';
import { isJsonObject } from '@/lib/json';

interface Change {
  before: Readonly<Record<string, unknown>>;
  after: Readonly<Record<string, unknown>>;
  record: AuditRecord;
}

/**
 * Describes each action. The sentence follows the actor's name; `{target}` stands for the target's name. A sentence
 * that begins with `{target}` omits the actor.
 */
const SENTENCES: Record<AuditAction, string | ((change: Change) => string)> = {
  'allowlist.add': 'added {target} to the allowlist',
  'allowlist.replace': 'changed the allowlist entry of {target}',
  'allowlist.remove': 'removed {target} from the allowlist',
  'override.set': ({ after }) => `overrode the limit of {target}${nameClass(after)}${nameLimit(after)}`,
  'override.replace': ({ after }) => `changed the override of {target}${nameClass(after)}${nameLimit(after)}`,
  'override.remove': ({ before }) => `removed the override of {target}${nameClass(before)}`,
  'counters.reset': ({ after }) => `reset the counters of {target}${nameClass(after)}${nameNamedLimit(after)}`,
  'policies.update': ({ record }) => `changed ${describeLimitChanges(record)}`,
  'limit.create': ({ after }) => `created the limit {target}${nameWindows(after)}`,
  'limit.update': ({ after }) => `changed the limit {target}${nameWindows(after)}`,
  'limit.remove': 'removed the limit {target}',
  'candidate.set': ({ after }) => `added a candidate for {target}${nameLimit(after)}`,
  'candidate.replace': ({ after }) => `changed the candidate of {target}${nameLimit(after)}`,
  'candidate.remove': 'removed the candidate of {target}',
  'candidate.promote': 'promoted the candidate of {target}',
  'candidate_rules.set': 'added candidate route rules',
  'candidate_rules.replace': 'changed the candidate route rules',
  'candidate_rules.remove': 'removed the candidate route rules',
  'candidate_rules.promote': 'promoted the candidate route rules',
  'route_rules.replace': 'changed the {target}',
  'incident.start': ({ after }) => `started an incident: ${describeIncident(after)}`,
  'incident.change': ({ after }) => `changed the incident: ${describeIncident(after)}`,
  'incident.end': ({ before }) => `ended the incident: ${describeIncident(before)}`,
  'api_key.create': 'created the key {target}',
  'api_key.update': ({ before, after }) =>
    before.name === after.name ? 'changed the key {target}' : `renamed the key ${String(before.name)} to {target}`,
  'api_key.rotate': 'rotated the secret of {target}',
  'api_key.revoke': 'revoked the key {target}',
  'quota.tier': ({ before, after }) =>
    before.tier === after.tier
      ? 'changed the overage of {target}'
      : `moved {target} from ${lookUpName(TIER_NAMES, before.tier)} to ${lookUpName(TIER_NAMES, after.tier)}`,
  'quota.reset': ({ before }) =>
    typeof before.usage === 'number'
      ? `reset the usage of {target} from ${formatNumber(before.usage)} to 0`
      : 'reset the usage of {target}',
  'quota.threshold': ({ after }) => `{target} used ${String(after.threshold_percent)}% of its quota`,
  'grant.add': ({ after }) => {
    const until = typeof after.until === 'string' ? ` until ${formatDate(after.until, 'UTC')}` : '';
    return `granted {target} ${formatCount(Number(after.requests), 'more request')}${until}`;
  },
  'grant.remove': ({ before }) => `ended the grant of ${formatCount(Number(before.requests), 'request')} to {target}`,
  'token.create': ({ after }) => `created the token {target}${formatRole(after)}`,
  'token.revoke': 'revoked the token {target}',
  'member.bootstrap': '{target} became the first owner',
  'member.invite': ({ after }) => `invited {target}${formatRole(after)}`,
  'member.update': ({ before, after, record }) =>
    before.role === after.role
      ? `changed ${isSelf(record) ? 'their own name' : 'the name of {target}'}`
      : `made {target} ${lookUpName(ROLE_NAMES, after.role)}, was ${lookUpName(ROLE_NAMES, before.role)}`,
  'member.password': ({ record }) =>
    isSelf(record) ? 'changed their own password' : 'set a new password for {target}',
  'member.join': ({ after }) => `{target} joined${formatRole(after)}, by their groups at the provider`,
  'member.follow_claim': ({ before, after }) =>
    `{target} became ${lookUpName(ROLE_NAMES, after.role)}, was ${lookUpName(ROLE_NAMES, before.role)}, by their groups at the provider`,
  'member.bind': ({ after }) => `{target} linked the ${String(after.provider)} account that signed in`,
  'member.unbind': 'unlinked the provider accounts of {target}',
  'member.refuse_sign_in': ({ after }) =>
    after.refusal === 'NoRole'
      ? '{target} was refused: their groups at the provider have no role'
      : `{target} was refused with another ${String(after.provider)} account`,
  'member.remove': 'removed the member {target}',
  'member.create_invitation': 'made an invitation link for {target}',
  'member.accept_invitation': '{target} set a password with an invitation link',
  'member.reset_owner': '{target} lost the password, and got a new link from the command line of the server',
  'member.end_session': 'ended one of their own sessions',
  'member.end_sessions': ({ record }) =>
    isSelf(record) ? 'ended their own other sessions' : 'ended the sessions of {target}',
  'member.start_second_factor': 'started setting up a second factor',
  'member.enable_second_factor': 'turned on their second factor',
  'member.disable_second_factor': 'turned off their second factor',
  'member.renew_recovery_codes': 'created new recovery codes',
  'member.reset_second_factor': 'reset the second factor of {target}',
  'state.release': 'released {target} from its state document',
  'sign_in.update': ({ after }) =>
    after.second_factor === 'required'
      ? 'required a second factor from all members'
      : 'made the second factor optional',
  'alerts.update': 'changed the {target}',
  'alert.acknowledge': ({ after }) => `acknowledged the alerts of ${String(after.name)}`,
  'alert.snooze': ({ after }) => `snoozed the alerts of ${String(after.name)}`,
  'alert.reopen': ({ after }) => `reopened the alerts of ${String(after.name)}`,
  'webhook.create': 'created the webhook {target}',
  'webhook.update': ({ before, after }) =>
    before.enabled === after.enabled
      ? 'changed the webhook {target}'
      : `switched the webhook {target} ${after.enabled === true ? 'on' : 'off'}`,
  'webhook.rotate': 'replaced the secret of the webhook {target}',
  'webhook.remove': 'removed the webhook {target}',
  'webhook.test': 'sent a test to the webhook {target}',
  'webhook.replay': ({ after }) => `sent delivery ${String(after.delivery)} to the webhook {target} again`,
  'assessment.start': 'started the assessment {target}',
  'assessment.remove': 'removed the assessment {target}',
  'finding.accept': 'accepted the finding {target}',
  'finding.withdraw': 'withdrew the acceptance of {target}',
  'oauth_request.send': ({ after }) =>
    `sent a ${typeof after.method === 'string' ? `${after.method} ` : ''}request to {target}`,
  'counter_store.move': 'started moving the counters to {target}',
  'counter_store.arrive': ({ after }) =>
    `moved the counters to {target}, with ${formatCount(Number(after.requests), 'request')} of this month`,
  'counter_store.adopt': 'started counting in {target}, without the counters from before',
  'database.restore': 'restored the database from {target}',
};

const nameClass = ({ class: of }: Change['after']) => (of == null ? '' : ` in ${lookUpName(CLASS_NAMES, of)}`);
const nameNamedLimit = ({ limit_name: name }: Change['after']) => (name == null ? '' : ` in the limit ${String(name)}`);
const nameWindows = ({ windows }: Change['after']) => {
  const limits = Array.isArray(windows) ? windows.filter(isLimitWindow) : [];
  return limits.length === 0 ? '' : `: ${limits.map(formatLimitWindow).join(' and ')}`;
};
const nameLimit = (after: Change['after']) => (isLimit(after) ? ` to ${formatLimit(after)}` : '');
const formatRole = ({ role }: Change['after']) => (role == null ? '' : ` as ${lookUpName(ROLE_NAMES, role)}`);
const isSelf = ({ actor, target }: AuditRecord) => actor === `member:${target}`;

function describeLimitChanges({ before, after }: AuditRecord): string {
  const changed = computeDifferences(before, after);
  if (changed.length === 0) return 'the {target}';
  if (changed.length > 2) return `${formatCount(changed.length, 'value')} of the {target}`;
  const words = changed.map(
    ({ label, before: old, after: now }) => `${label}, from ${old ?? 'none'} to ${now ?? 'none'}`,
  );
  return `the {target}: ${words.join('; ')}`;
}

/** Display names of targets that are documents. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  policies: 'limits',
  'route-rules': 'route rules',
  'sign-in': 'sign-in settings',
  alerts: 'alert settings',
};

/** Returns the name that the target had when it was changed. */
export function nameAuditTarget({ target, target_name: name }: Pick<AuditRecord, 'target' | 'target_name'>): string {
  return name ?? DOCUMENTS[target] ?? target;
}

export interface Sentence {
  /** Name of the actor. Null if the sentence omits it. */
  actor: string | null;
  /** Text before and after the target. */
  head: string;
  /** Name of the target. Null if the sentence omits it. */
  target: string | null;
  tail: string;
}

const isKnown = (action: string): action is AuditAction => AUDIT_ACTIONS.some((each) => each === action);

/** Splits a record's sentence into parts, so that actor and target can become links. */
export function buildAuditSentence(record: AuditRecord): Sentence {
  const { undoes } = record;
  if (undoes === null) return buildSentence(record);
  const { before, after } = record;
  const undone = buildSentence({
    ...record,
    action: findUndoneAction(record.action) ?? record.action,
    before: after,
    after: before,
  });
  return { ...undone, actor: record.actor_name, head: `undid change ${undoes}, which ${undone.head}` };
}

function buildSentence(record: AuditRecord): Sentence {
  const { action, actor_name: actor } = record;
  const words = isKnown(action) ? SENTENCES[action] : `made the change ${action} to {target}`;
  const [before, after] = [record.before, record.after].map((value) => (isJsonObject(value) ? value : {}));
  const text = typeof words === 'string' ? words : words({ before: before ?? {}, after: after ?? {}, record });
  const at = text.indexOf('{target}');
  return {
    actor: at === 0 ? null : actor,
    head: at < 0 ? text : text.slice(0, at),
    target: at < 0 ? null : nameAuditTarget(record),
    tail: at < 0 ? '' : text.slice(at + '{target}'.length),
  };
}

/** Returns the sentence as plain text: "owner@example.com rotated the secret of Store locator". */
export function formatAuditSentence(record: AuditRecord): string {
  const { actor, head, target, tail } = buildAuditSentence(record);
  return `${actor === null ? '' : `${actor} `}${head}${target ?? ''}${tail}`;
}
