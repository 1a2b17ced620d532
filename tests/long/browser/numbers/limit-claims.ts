import { describeLimitOutcome } from '@/components/candidates/place-names';
import { formatWindow } from '@/components/format/duration';
import { describeRelease } from '@/components/format/limit-span';
import { describePace } from '@/components/limits/limit-words';
import { describeLimit } from '@/components/named-limits/limit-sentence';
import { formatLimitNumbers } from '@/components/named-limits/numbers-words';
import type { CandidateLimit } from '@/lib/contract/candidates';
import type { InspectedCounter } from '@/lib/contract/counters';
import type { DecisionExplanation } from '@/lib/contract/explain';
import type { LimitInUse } from '@/lib/contract/limit-use';
import type { NamedLimit } from '@/lib/contract/named-limits';
import type { Policies } from '@/lib/contract/policies';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import type { Answers } from './answers';
import { type Claim, number } from './claims';

/** The parts of instruments, in the order of the screen: units, peak and the nearest callers. */
export function claimInstruments(uses: readonly { use: LimitInUse; unit: string }[]): Claim[] {
  return [
    {
      in: '[title^="Total of the last 60 minutes"]',
      say: uses.map(({ use, unit }) => `${number(use.units)} ${unit === 'units' && use.units === 1 ? 'unit' : unit}`),
    },
    {
      in: '[title^="Largest share of the limit"]',
      say: uses.flatMap(({ use: { peak_percent: peak } }) => (peak === null ? [] : [`Peak ${peak}%`])),
    },
    {
      in: 'ul[aria-label$="nearest callers"] li:not([aria-hidden])',
      say: uses.flatMap(({ use }) =>
        use.nearest.map(({ identifier, api_key_name: key, peak_percent }) => `${key ?? identifier} ${peak_percent}%`),
      ),
    },
  ];
}

export function claimLimits(answers: Answers): Claim[] {
  const { classes, clients, global } = answers.find<Policies>('/v1/admin/policies');
  const { limits } = answers.find<{ limits: LimitInUse[] }>('/v1/admin/statistics/limits');
  const named = answers.find<NamedLimit[]>('/v1/admin/limits');
  const places = [
    ...ENDPOINT_CLASSES.flatMap((name) => [`classes.${name}.ip`, `classes.${name}.user`]),
    ...['clients.public', 'clients.confidential'],
    ...named.map(({ name }) => `limits.${name}`),
  ];
  const uses = places.flatMap((place) => {
    const use = limits.find((each) => each.place === place);
    const unit = named.find(({ name }) => place === `limits.${name}`)?.unit ?? 'units';
    return use === undefined ? [] : [{ use, unit }];
  });
  if (uses.length !== limits.length) throw new Error('A limit in use is not on the screen.');
  const rules = [...ENDPOINT_CLASSES.flatMap((name) => [classes[name].ip, classes[name].user]), clients.public];
  return [
    ...claimInstruments(uses),
    {
      in: 'span',
      like: /^About .*[\d.]+ (s|a second)\.$/,
      say: [...rules, clients.confidential, global].map((rule) => describePace(rule.limit, rule.window_seconds)),
    },
    { in: 'p', like: /for each subject\.$/, say: named.map(describeLimit) },
    // Explanations of the settings.
    { in: 'span, p', like: /(Answers 503 while the counter store is down|serves; beyond it, 503)\.$/ },
    {
      in: 'p',
      like: /^(The monthly quota of an API key: a request uses its cost, usually 1|0\.0\.0\.0\/0 and ?::\/0 )/,
    },
  ];
}

/** The candidates, in the order of the API. */
export function claimCandidates(answers: Answers): Claim[] {
  const candidates = answers.find<CandidateLimit[]>('/v1/admin/candidates');
  return [
    { in: 'p[aria-live]', say: candidates.map(describeLimitOutcome) },
    {
      in: 'p',
      like: /^Live /,
      say: candidates.map((candidate) => {
        const { live } = candidate;
        return `Live ${live === null ? 'removed' : formatLimitNumbers(live)} → candidate ${formatLimitNumbers(candidate)}`;
      }),
    },
    {
      in: 'li span',
      like: /^would refuse \d/,
      say: candidates.flatMap(({ top }) => top.map(({ would_refuse }) => `would refuse ${number(would_refuse)}`)),
    },
  ];
}

export function claimRouteRules(answers: Answers): Claim[] {
  const rules = answers.find<unknown[]>('/v1/admin/route-rules');
  return [
    { in: 'li > div > span', like: /^\d+$/, say: rules.map((_, index) => String(index + 1)) },
    { in: 'span', like: /^costs 1$/ },
  ];
}

const describeUse = ({ used, limit, window_seconds }: { used: number | null; limit: number; window_seconds: number }) =>
  `${number(used ?? 0)} of ${number(limit)} in ${formatWindow(window_seconds)}`;

export function claimInspector(answers: Answers): Claim[] {
  const { counters } = answers.find<{ counters: InspectedCounter[] }>('/v1/admin/rate-limit/counters');
  const classes = counters.filter(({ limit_name: name }) => name === undefined);
  return [
    { in: 'p', like: /^[\d,]+ remaining$/, say: classes.map(({ limit, used }) => `${number(limit - used)} remaining`) },
    { in: 'p', like: /^[\d,]+ of [\d,]+ in /, say: classes.map(describeUse) },
    { in: 'p', like: /by the policy$/, say: classes.map(({ limit }) => `${number(limit)} by the policy`) },
    {
      in: 'div',
      like: /^\d+ \w+ ago .* now$/,
      say: classes.map(
        (counter) => `${formatWindow(counter.window_seconds)} ago ${describeRelease(counter, Date.now())} now`,
      ),
    },
  ];
}

export function claimExplain(answers: Answers): Claim[] {
  const { throttle, subjects, decision } = answers.find<DecisionExplanation>('/v1/admin/rate-limit/explain');
  const ofPolicy = subjects.filter(({ source }) => source.kind === 'policy');
  const uses = [...(throttle.counted ? [throttle] : []), ...subjects];
  return [
    ...claimExplainStart(),
    { in: 'p', like: /^costs 1$/ },
    { in: 'p', like: /^[\d,]+ of [\d,]+ in /, say: uses.map(describeUse) },
    { in: 'p', like: /by the policy$/, say: ofPolicy.map(({ limit }) => `${number(limit)} by the policy`) },
    {
      in: 'p',
      like: /in the tightest limit/,
      say: [`${number(decision.remaining ?? 0)} remaining in the tightest limit.`],
    },
  ];
}

export function claimExplainStart(): Claim[] {
  return [{ in: 'p', like: /^The X-Request-Id header of a 429 answer\.$/ }];
}
