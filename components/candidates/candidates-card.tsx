import { describeLimitOutcome, describeRulesOutcome, namePlace } from '@/components/candidates/place-names';
import { useCandidates } from '@/components/candidates/use-candidates';
import { QueryCard } from '@/components/list/query-card';
import { Link } from '@/components/ui/link';

/** Shows what the candidate limits and route rules would have decided. Renders nothing if there are none. */
export default function CandidatesCard() {
  const candidates = useCandidates();
  const { limits = [], rules = null } = candidates.data ?? {};
  if (limits.length === 0 && rules === null) return null;
  return (
    <QueryCard title="Candidates" more={{ href: '/limits?tab=candidates', label: 'All candidates' }} query={candidates}>
      {() => (
        <ul className="flex flex-col gap-2 text-sm">
          {limits.map((candidate) => (
            <Trial key={candidate.id} name={namePlace(candidate.place)} outcome={describeLimitOutcome(candidate)} />
          ))}
          {rules === null ? null : <Trial name="Route rules" outcome={describeRulesOutcome(rules)} />}
        </ul>
      )}
    </QueryCard>
  );
}

function Trial({ name, outcome }: { name: string; outcome: string }) {
  return (
    <li className="break-words tabular-nums">
      <Link href="/limits?tab=candidates" className="rounded-xs font-medium underline-offset-4 hover:underline">
        {name}
      </Link>{' '}
      <span className="text-muted-foreground">{outcome}</span>
    </li>
  );
}
