import { FlaskConical } from 'lucide-react';
import { CandidateCard } from '@/components/candidates/candidate-card';
import { useCandidates } from '@/components/candidates/use-candidates';
import { EmptyState } from '@/components/list/empty-state';
import { QueryPart } from '@/components/list/query-part';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { Link } from '@/components/ui/link';

const CandidateDialog = loadOnDemand(() => import('@/components/candidates/candidate-dialog'));
const CandidateRulesCard = loadOnDemand(() => import('@/components/candidates/candidate-rules-card'));

/** Lists candidate limits and candidate route rules. */
export default function CandidatesTab() {
  const candidates = useCandidates();
  const open = useDialog();
  const add = (
    <RoleButton needs="owner" onClick={() => open((onClose) => <CandidateDialog onClose={onClose} />)}>
      Try a limit
    </RoleButton>
  );
  return (
    <QueryPart query={candidates} skeleton="h-60">
      {({ limits, rules }) =>
        limits.length === 0 && rules === null ? (
          <EmptyState icon={FlaskConical} title="No candidates" action={add}>
            A candidate counts the requests that a live limit, or the live route rules, decide, and refuses none. It
            lists the requests that it would have refused. Then promote it, or remove it. Try route rules{' '}
            <Link href="/limits?tab=routes" className="text-foreground underline underline-offset-4">
              where they are edited
            </Link>
            .
          </EmptyState>
        ) : (
          <div className="flex flex-col gap-4">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <p className="text-sm text-muted-foreground">
                Candidates count, and refuse no request. Their counters start empty.
              </p>
              {add}
            </div>
            {limits.map((candidate) => (
              <CandidateCard key={candidate.id} candidate={candidate} />
            ))}
            {rules === null ? null : <CandidateRulesCard candidate={rules} />}
          </div>
        )
      }
    </QueryPart>
  );
}
