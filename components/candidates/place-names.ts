import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import type { CandidateLimit, CandidateRules } from '@/lib/contract/candidates';
import { type CandidatePlace, POLICY_PLACES, splitPlace } from '@/lib/contract/fields/candidate';
import { formatCount, formatNumber } from '@/lib/format-number';

/** Names a place: `Read per address`, `Confidential clients`. */
export function namePlace(place: CandidatePlace): string {
  const parts = splitPlace(place);
  if (parts.group === 'limits') return parts.limit;
  if (parts.group === 'clients') return `${parts.client === 'public' ? 'Public' : 'Confidential'} clients`;
  return `${CLASS_NAMES[parts.class]} per ${parts.subject === 'ip' ? 'address' : 'user'}`;
}

/** Lists the limits of the policies, and the named ones. */
export const listPlaces = (limits: readonly { name: string }[]) => [
  ...POLICY_PLACES.map((value) => ({ value, label: namePlace(value) })),
  ...limits.map(({ name }) => ({ value: `limits.${name}` as const, label: name, hint: 'named limit' })),
];

const NOUNS: Record<'ip' | 'user' | 'client' | 'limit', [string, string]> = {
  limit: ['subject', 'subjects'],
  ip: ['address', 'addresses'],
  user: ['user', 'users'],
  client: ['client', 'clients'],
};

/**
 * Summarizes what a candidate limit would have decided differently: `Would have refused 12 of 400 requests from 3
 * addresses (the first was 10.0.0.7).`
 */
export function describeLimitOutcome(candidate: CandidateLimit): string {
  const parts = splitPlace(candidate.place);
  return describeCounts(
    candidate,
    NOUNS[parts.group === 'classes' ? parts.subject : parts.group === 'clients' ? 'client' : 'limit'],
    'like the live limit',
  );
}

/** Summarizes what candidate route rules would have decided differently, over callers of every kind. */
export function describeRulesOutcome(candidate: CandidateRules): string {
  return describeCounts(candidate, ['caller', 'callers'], 'like the live rules');
}

type Counts = Pick<CandidateRules, 'requests' | 'would_refuse' | 'would_allow' | 'identifiers' | 'first'>;

function describeCounts(counts: Counts, nouns: readonly [string, string], asLive: string): string {
  const { requests, would_refuse: refused, would_allow: allowed, identifiers, first } = counts;
  if (requests === 0) return 'No requests yet.';
  const of = formatCount(requests, 'request');
  if (refused + allowed === 0) return `Would have decided ${of} ${asLive}.`;
  const whose = formatCount(identifiers, ...nouns);
  const outcomes = [
    ...(refused > 0 ? [`refused ${formatNumber(refused)}`] : []),
    ...(allowed > 0 ? [`allowed ${formatNumber(allowed)} more`] : []),
  ];
  const one = first === null ? null : (first.api_key_name ?? first.identifier);
  const from = one === null ? whose : identifiers === 1 ? one : `${whose} (the first was ${one})`;
  return `Would have ${outcomes.join(' and ')} of ${of} from ${from}.`;
}
