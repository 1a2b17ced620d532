import { formatLimitNumbers } from '@/components/named-limits/numbers-words';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import type { Exception } from '@/lib/contract/exceptions';
import { formatNumber } from '@/lib/format-number';

export const KIND_NAMES: Record<Exception['kind'], string> = {
  allowlist: 'Allowlist entry',
  override: 'Override',
  grant: 'Grant',
};

/** Names the subject of an exemption. */
export function nameSubject({ identifier, api_key_name: key }: Exception): string {
  return key ?? identifier;
}

/** Describes what an exemption allows: "Read: 500 in 1 min". */
export function describeAllowance(exception: Exception): string {
  const { kind, class: name, limit_name: limitName = '', limit, window_seconds, requests } = exception;
  if (kind === 'allowlist') return 'no rate limit';
  if (kind === 'grant') return `${formatNumber(requests ?? 0)} requests more`;
  const numbers = limit === null || window_seconds === null ? null : { ...exception, limit, window_seconds };
  return `${name === null ? limitName : CLASS_NAMES[name]}${numbers === null ? '' : `: ${formatLimitNumbers(numbers)}`}`;
}

/** Lists the reasons to review an exemption, most urgent first. */
export function listReviewReasons(exception: Exception): { text: string; urgent: boolean }[] {
  const { kind, notes, covered_by: covering, overlapped_by: overlapping } = exception;
  const [covers] = covering;
  const [overlaps] = overlapping;
  const words = {
    ends_soon: { text: 'ends within a day', urgent: true },
    covered: { text: `covered by ${covers?.identifier ?? 'another'}`, urgent: false },
    overlapped: {
      text:
        kind === 'grant'
          ? `one of ${formatNumber(overlapping.length + 1)} of this key`
          : `within ${overlaps?.identifier ?? 'another'}`,
      urgent: false,
    },
    never_used: { text: 'never used', urgent: false },
    wide: { text: 'wide range', urgent: false },
  } as const;
  return (['ends_soon', 'covered', 'overlapped', 'never_used', 'wide'] as const).flatMap((note) =>
    notes.includes(note) ? [words[note]] : [],
  );
}
