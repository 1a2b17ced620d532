import Link from 'next/link';
import { outcomeWords, placeName } from '@/components/candidates/place-names';
import { useCandidates } from '@/components/candidates/use-candidates';
import { QueryCard } from '@/components/list/query-card';

/** What the limits that are tried would have done. Nothing where none is. */
export default function CandidatesCard() {
  const candidates = useCandidates();
  if ((candidates.data?.value.length ?? 0) === 0) return null;
  return (
    <QueryCard
      title="Candidate limits"
      more={{ href: '/limits?tab=candidates', label: 'Candidate limits' }}
      query={candidates}
    >
      {({ value }) => (
        <ul className="flex flex-col gap-2 text-sm">
          {value.map((candidate) => (
            <li key={candidate.id} className="break-words tabular-nums">
              <Link
                href="/limits?tab=candidates"
                prefetch={false}
                className="rounded-xs font-medium underline-offset-4 hover:underline"
              >
                {placeName(candidate.place)}
              </Link>{' '}
              <span className="text-muted-foreground">{outcomeWords(candidate)}</span>
            </li>
          ))}
        </ul>
      )}
    </QueryCard>
  );
}
