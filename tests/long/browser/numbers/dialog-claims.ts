import { formatAuditSentence } from '@/components/audit-log/sentences';
import { formatPace, formatWait, formatWindow } from '@/components/format/duration';
import { describeNumbers, describeNumbersInline } from '@/components/named-limits/limit-sentence';
import { formatLimitNumbers } from '@/components/named-limits/numbers-words';
import type { AuditRecord } from '@/lib/contract/audit-log';
import type { CandidateLimit } from '@/lib/contract/candidates';
import type { LoggedDecision } from '@/lib/contract/decisions';
import type { DecisionExplanation } from '@/lib/contract/explain';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import type { NamedLimit } from '@/lib/contract/named-limits';
import type { Override } from '@/lib/contract/overrides';
import type { Policies } from '@/lib/contract/policies';
import type { Answers } from './answers';
import { type Claim, number, startsWith } from './claims';
import { claimExplain } from './limit-claims';

/** Claims for every dialog: choices of an end or a factor, and explanations of fields. */
export const DIALOG_CONSTANTS: readonly Claim[] = [
  { in: 'button', like: /^(\d+ (h|d|min|days?)|× \d the current limit|\+\d+%)$/ },
  { in: 'div', like: /^IPv6 addresses are counted by their \/64 network\.$/ },
  { in: 'div', like: /^What is counted:/ },
  { in: 'div', like: /^At 00:00 UTC, or on the last day of a shorter month\./ },
  { in: 'span', like: /^Answers 503 while the counter store is down\.$/ },
];

const inWindow = (limit: number, seconds: number) => `${number(limit)} in ${formatWindow(seconds)}`;
const withPace = (limit: number, seconds: number) =>
  `${inWindow(limit, seconds)}, ${formatPace(limit, seconds)}. Now ${inWindow(limit, seconds)}`;

const firstKey = (answers: Answers) => answers.findFirstRow<ApiKeyWithUsage>('/v1/admin/api-keys');
const firstOverride = (answers: Answers) => answers.findFirstRow<Override>('/v1/admin/rate-limit/overrides');
const findSms = (answers: Answers) =>
  answers.find<NamedLimit[]>('/v1/admin/limits').find(({ name }) => name === 'sms')!;

export function claimAllowlistRemoval(answers: Answers): Claim[] {
  const { identifier } = answers.findFirstRow<{ identifier: string }>('/v1/admin/rate-limit/allowlist');
  return [{ in: 'h2', say: [`Remove ${identifier} from the allowlist?`] }];
}

/** A new override starts at the limit that applies now. */
export function claimNewOverride(answers: Answers): Claim[] {
  const { limit, window_seconds: seconds } = answers.find<Policies>('/v1/admin/policies').classes.read.ip;
  return [{ in: 'p', like: /^[\d,]+ in .* Now /, say: [`${withPace(limit, seconds)}.`] }];
}

export function claimOverrideEdit(answers: Answers): Claim[] {
  const { limit, window_seconds: seconds } = firstOverride(answers);
  return [
    { in: 'p', like: /^[\d,]+ in .* Now /, say: [startsWith(`${withPace(limit ?? 0, seconds ?? 0)}, by override `)] },
  ];
}

export function claimOverrideRemoval(answers: Answers): Claim[] {
  const override = firstOverride(answers);
  const { classes } = answers.find<Policies>('/v1/admin/policies');
  const policy = classes[override.class ?? 'read'][override.type === 'ip' ? 'ip' : 'user'];
  const from = inWindow(override.limit ?? 0, override.window_seconds ?? 0);
  const to = inWindow(policy.limit, policy.window_seconds);
  return [{ in: 'div', like: /→/, say: [new RegExp(`: ${from} → ${to}, unless a wider override covers it\\.$`)] }];
}

export function claimLimitEdit(answers: Answers): Claim[] {
  return [
    { in: 'p', like: /for each subject\.$/, say: [startsWith(`${describeNumbers(findSms(answers))}, for each`)] },
  ];
}

export function claimLimitRemoval(answers: Answers): Claim[] {
  return [
    { in: 'div', like: /for each subject\./, say: [startsWith(`${describeNumbers(findSms(answers))}, for each`)] },
  ];
}

export function claimLimitCandidate(answers: Answers): Claim[] {
  const sms = findSms(answers);
  return [
    { in: 'p', like: /^At most /, say: [`${describeNumbers(sms)}.`] },
    { in: 'p', like: /^Live: /, say: [`Live: ${describeNumbersInline(sms)}.`] },
  ];
}

const firstCandidate = (answers: Answers) => answers.findFirstRow<CandidateLimit>('/v1/admin/candidates');

export function claimCandidateChange(answers: Answers): Claim[] {
  const { live } = firstCandidate(answers);
  return [{ in: 'p', like: /^Live: /, say: [`Live: ${formatLimitNumbers(live!)}.`] }];
}

export function claimPromotion(answers: Answers): Claim[] {
  const candidate = firstCandidate(answers);
  const change = `${formatLimitNumbers(candidate.live!)} becomes ${formatLimitNumbers(candidate)}, from the next request.`;
  const { would_refuse: refused, requests } = candidate;
  const outcome = `Would have refused ${number(refused)} of ${number(requests)} requests from `;
  return [{ in: 'div', like: /becomes/, say: [startsWith(`${change} ${outcome}`)] }];
}

/** The preset is a tenth of the quota. */
export function claimGrant(answers: Answers): Claim[] {
  const { limit } = firstKey(answers);
  const granted = limit / 10;
  return [
    { in: 'p', like: /=/, say: [`${number(limit)} + ${number(granted)} = ${number(limit + granted)} until then.`] },
  ];
}

export function claimTierChange(answers: Answers): Claim[] {
  const { usage, limit } = firstKey(answers);
  return [
    { in: 'p', like: /used this month/, say: [startsWith(`${number(usage ?? 0)} used this month`)] },
    { in: 'div', like: /^[\d,]+$/, say: [number(limit), number(limit)] },
  ];
}

export function claimUsageReset(answers: Answers): Claim[] {
  const { usage, limit } = firstKey(answers);
  const said = `${number(usage ?? 0)} used requests of this month are forgiven; ${number(limit)} are available until `;
  return [{ in: 'div', like: /are forgiven/, say: [startsWith(said)] }];
}

export function claimRotation(answers: Answers): Claim[] {
  const { prefix } = firstKey(answers);
  return [
    { in: 'div', like: /keeps working until/, say: [startsWith(`The old secret (${prefix}…) keeps working until `)] },
  ];
}

export const claimRevocation = (): Claim[] => [{ in: 'div', like: /^Requests with this key get 401 from now on\./ }];

export function claimDecision(answers: Answers): Claim[] {
  const decision = answers.findFirstRow<LoggedDecision>('/v1/admin/decisions');
  const { id, cost, retry_after: wait } = decision;
  const [limit, seconds, used] = [decision.limit ?? 0, decision.window_seconds ?? 0, decision.used ?? 0];
  const name = decision.limit_name;
  const units = `${number(limit)} ${name === null ? 'requests' : 'units'} in ${formatWindow(seconds)}`;
  const verdict = `Refused: ${number(used)} of ${units}${name === null ? '' : ` of the limit ${name}`} were used.`;
  return [
    { in: 'h2', say: [`Decision ${id}`, verdict] },
    { in: 'dd', like: /^[\d,]+ in /, say: [inWindow(limit, seconds)] },
    { in: 'dd', like: /^[\d,]+$/, say: [number(used), number(cost ?? 0)] },
    { in: 'dd', like: /^\d+ (s|min|h|d)$/, say: [formatWait(wait ?? 0)] },
  ];
}

/** The newest change is that a key has reached a threshold of its quota. */
export function claimChange(answers: Answers): Claim[] {
  const record = answers.findFirstRow<AuditRecord>('/v1/admin/audit');
  const after = record.after as { threshold_percent: number; month: string; usage: number; limit: number };
  return [
    { in: 'h2', say: [`Change ${record.seq}`, formatAuditSentence(record)] },
    {
      in: 'dd',
      like: /^([\d,]+%?|\d{4}-\d\d)$/,
      say: [`${after.threshold_percent}%`, after.month, number(after.usage), number(after.limit), `${record.seq}`],
    },
  ];
}

/** What the caller was refused for has ended. */
export function claimHelp(answers: Answers): Claim[] {
  const { subjects, class_source: source } = answers.find<DecisionExplanation>('/v1/admin/rate-limit/explain');
  const [{ limit, used, window_seconds: seconds }] = subjects.filter(({ subject }) => subject === 'ip') as [
    DecisionExplanation['subjects'][number],
  ];
  const use = `${number(used ?? 0)} of ${number(limit)} requests in ${formatWindow(seconds)} are used.`;
  return [
    { in: 'h2', say: ['Help 203.0.113.9'] },
    {
      in: 'p',
      like: /is no longer refused/,
      say: [new RegExp(`^203\\.0\\.113\\.9 is no longer refused in \\w+: ${use}`)],
    },
    {
      in: 'p',
      like: /by override /,
      say: subjects
        .filter(({ source }) => source.kind === 'override')
        .map((each) => startsWith(`${number(each.limit)} by override`)),
    },
    { in: 'a', like: /^route rule \d+$/, say: source.rule === undefined ? [] : [`route rule ${source.rule}`] },
    { in: 'p', like: /Only the 64 busiest callers/ },
    ...claimExplain(answers),
  ];
}
