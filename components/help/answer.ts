import { formatWindow } from '@/components/format/duration';
import { formatLimitSpan } from '@/components/format/limit-span';
import { formatDate, formatShortTime } from '@/components/format/time';
import type { HelpRequest } from '@/components/links/help-target';
import { shorten } from '@/components/ui/shorten';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { TIER_NAMES } from '@/components/vocabulary/tiers';
import type { LoggedDecision } from '@/lib/contract/decisions';
import type { DecisionExplanation } from '@/lib/contract/explain';
import type { LimitSource } from '@/lib/contract/fields/limit-source';
import { formatNumber } from '@/lib/format-number';

export interface HelpAnswer {
  tone: 'refused' | 'open' | 'bypassed' | 'nobody';
  sentence: string;
}

interface AnswerFacts {
  request: HelpRequest;
  /** The refusal in question, or the newest one. */
  decision: LoggedDecision | undefined;
  explanation: DecisionExplanation;
  now: number;
  zone: string;
}

/** Names the source of a limit: `by the policy`, `by override 198.51.100.0/24, “a network that scrapes”`. */
function describeSource(source: LimitSource): string {
  if (source.kind === 'override') {
    return `by the override of ${shorten(source.identifier ?? '', 32)}${source.reason ? `, “${shorten(source.reason, 60)}”` : ''}`;
  }
  if (source.kind === 'client') return `the limit of ${source.id ?? 'such'} clients`;
  if (source.kind === 'limit') return 'by the limit';
  if (source.kind === 'key') return 'by numbers of this key alone';
  return source.kind === 'tier' ? 'the quota of its tier' : 'by the policy';
}

/** Names where a limit applies: ` in Auth`, ` in sms`. Empty for a client, whose limit is for all classes. */
function nameScope(
  { subject, limit_name: name }: DecisionExplanation['subjects'][number],
  { class: of }: DecisionExplanation,
) {
  if (name !== undefined) return ` in ${name}`;
  return subject === 'client' || of === null ? '' : ` in ${CLASS_NAMES[of]}`;
}

const nameSubject = (subject: DecisionExplanation['subjects'][number]) =>
  subject.subject === 'client'
    ? `Key ${subject.name ?? shorten(subject.identifier, 32)}`
    : shorten(subject.identifier, 32);

/** Describes the whole situation in one sentence. */
export function buildAnswer(facts: AnswerFacts): HelpAnswer {
  const { explanation, decision } = facts;
  if (decision?.subject === 'global') return answerThrottled(facts);
  if (explanation.api_key && !explanation.api_key.valid) {
    return { tone: 'refused', sentence: 'Its API key is unknown, revoked or expired. No limit is involved.' };
  }
  const [first] = explanation.refused_by;
  if (first === 'quota' && explanation.quota) return answerOutOfQuota(facts, explanation.quota);
  const refusing = explanation.subjects.find(({ subject, refuses }) => subject === first && refuses);
  if (refusing) return answerRefused(facts, refusing);
  if (!explanation.decision.allowed)
    return {
      tone: 'nobody',
      sentence: `${explanation.decision.error_description ?? 'Not available.'} No limit of this identity is involved.`,
    };
  return answerAdmitted(facts);
}

function answerThrottled({ explanation: { throttle } }: AnswerFacts): HelpAnswer {
  const limit = `${formatNumber(throttle.limit)} in ${formatWindow(throttle.window_seconds)}`;
  return {
    tone: 'nobody',
    sentence: `The whole instance had too many requests: its global throttle is ${limit}. No single caller caused this, so there is no caller to help.`,
  };
}

function describeWait(seconds: number | null, { explanation, zone }: AnswerFacts): string {
  if (seconds === null) return '. Waiting does not help';
  const at = Date.parse(explanation.at) + seconds * 1000;
  return `, until ${formatShortTime(at, Date.parse(explanation.at), zone)}`;
}

function answerRefused(facts: AnswerFacts, subject: DecisionExplanation['subjects'][number]): HelpAnswer {
  const { cost, limit_name: name } = subject;
  if (subject.in_flight)
    return {
      tone: 'refused',
      sentence: `${nameSubject(subject)} is refused: all ${formatNumber(subject.limit)} places of ${name} are taken${describeWait(subject.retry_after, facts)}.`,
    };
  const used = `${subject.used === null ? 'an unknown number' : formatNumber(subject.used)} of ${formatNumber(subject.limit)}`;
  const costs =
    cost > 1 && subject.remaining !== null && subject.remaining > 0 ? `, and this one costs ${formatNumber(cost)}` : '';
  const where = nameScope(subject, facts.explanation);
  const counted = name === undefined ? 'requests ' : '';
  const source = name !== undefined && subject.source.kind === 'tier' ? 'by its tier' : describeSource(subject.source);
  return {
    tone: 'refused',
    sentence: `${nameSubject(subject)} is refused${where}: ${used} ${counted}${formatLimitSpan(subject)}${costs}, ${source}${describeWait(subject.retry_after, facts)}.`,
  };
}

function answerOutOfQuota(facts: AnswerFacts, quota: NonNullable<DecisionExplanation['quota']>): HelpAnswer {
  const reset = quota.reset === null ? '' : `, until ${formatDate(quota.reset * 1000, facts.zone, facts.now)}`;
  const used = quota.used === null ? '' : `${formatNumber(quota.used)} of `;
  return {
    tone: 'refused',
    sentence: `Key ${quota.name} is refused: ${used}${formatNumber(quota.limit)} requests this month, the quota of the tier ${TIER_NAMES[quota.tier]}${reset}.`,
  };
}

function answerAdmitted({ request, explanation, decision, now, zone }: AnswerFacts): HelpAnswer {
  const { subjects } = explanation;
  const bypass = subjects.find((subject) => subject.bypass !== null)?.bypass;
  const caller = shorten(request.identifier, 32);
  if (bypass) {
    const end =
      bypass.expires_at === null ? 'with no expiry' : `until ${formatShortTime(bypass.expires_at, now, zone)}`;
    return {
      tone: 'bypassed',
      sentence: `${caller} is not limited: ${shorten(bypass.identifier, 32)} is on the allowlist ${end}, “${shorten(bypass.reason, 60)}”.`,
    };
  }
  const kind = { ip: 'ip', user_id: 'user', api_key: 'client', client_id: 'client', subject: 'limit' }[request.type];
  const own = subjects.find(({ subject }) => subject === kind) ?? subjects[0];
  const name = own?.subject === kind ? nameSubject(own) : caller;
  const used =
    own && own.used !== null
      ? `: ${formatNumber(own.used)} of ${formatNumber(own.limit)} ${own.limit_name === undefined ? 'requests ' : ''}${formatLimitSpan(own)} are used`
      : '';
  const where = own === undefined ? '' : nameScope(own, explanation);
  const last = decision ? ` The last refusal was at ${formatShortTime(decision.at, now, zone)}.` : '';
  return { tone: 'open', sentence: `${name} is ${decision ? 'no longer' : 'not'} refused${where}${used}.${last}` };
}
