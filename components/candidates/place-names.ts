import { formatWindow } from '@/components/format/duration';
import { formatCount, formatNumber } from '@/components/format/number';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import type { CandidateLimit, CandidateRules } from '@/lib/contract/candidates';
import { CANDIDATE_PLACES, type CandidatePlace, placeParts } from '@/lib/contract/fields/candidate';
import type { Limit } from '@/lib/contract/policies';

/** Names a place: `Read per address`, `Confidential clients`. */
export function placeName(place: CandidatePlace): string {
  const parts = placeParts(place);
  if (parts.group === 'clients') return `${parts.client === 'public' ? 'Public' : 'Confidential'} clients`;
  return `${CLASS_NAMES[parts.class]} per ${parts.subject === 'ip' ? 'address' : 'user'}`;
}

export const PLACE_OPTIONS = CANDIDATE_PLACES.map((value) => ({ value, label: placeName(value) }));

/** Formats a limit: `60 in 1 min`. */
export const limitWords = ({ limit, window_seconds }: Limit) =>
  `${formatNumber(limit)} in ${formatWindow(window_seconds)}`;

const NOUNS: Record<'ip' | 'user' | 'client', [string, string]> = {
  ip: ['address', 'addresses'],
  user: ['user', 'users'],
  client: ['client', 'clients'],
};

/**
 * Summarises what a candidate limit would have decided differently: `Would have refused 12 of 400 requests, of 3
 * addresses, first 10.0.0.7.`
 */
export function outcomeWords(candidate: CandidateLimit): string {
  const parts = placeParts(candidate.place);
  return wouldWords(candidate, NOUNS[parts.group === 'clients' ? 'client' : parts.subject], 'the live limit does');
}

/** Summarises what candidate route rules would have decided differently, over callers of every kind. */
export function rulesOutcomeWords(candidate: CandidateRules): string {
  return wouldWords(candidate, ['caller', 'callers'], 'the live rules do');
}

type Counts = Pick<CandidateRules, 'requests' | 'would_refuse' | 'would_allow' | 'identifiers' | 'first'>;

function wouldWords(counts: Counts, nouns: readonly [string, string], asLive: string): string {
  const { requests, would_refuse: refused, would_allow: allowed, identifiers, first } = counts;
  if (requests === 0) return 'No request has come yet.';
  const of = formatCount(requests, 'request');
  if (refused + allowed === 0) return `Would have decided all of ${of} as ${asLive}.`;
  const whose = formatCount(identifiers, ...nouns);
  const said = [
    ...(refused > 0 ? [`refused ${formatNumber(refused)}`] : []),
    ...(allowed > 0 ? [`allowed ${formatNumber(allowed)} more`] : []),
  ];
  return `Would have ${said.join(' and ')} of ${of} from ${whose}${first === null ? '' : `, ${first.api_key_name ?? first.identifier} first`}.`;
}
