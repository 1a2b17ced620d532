import { FlaskConical } from 'lucide-react';
import { CandidateCard } from '@/components/candidates/candidate-card';
import { useCandidates } from '@/components/candidates/use-candidates';
import { EmptyState } from '@/components/list/empty-state';
import { QueryPart } from '@/components/list/query-part';
import { useDialog } from '@/components/shell/dialogs';
import { onDemand } from '@/components/shell/on-demand';
import { RoleButton } from '@/components/shell/role-button';

const CandidateDialog = onDemand(() => import('@/components/candidates/candidate-dialog'));

/** Limits that are tried beside the live ones. */
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
      {({ value }) =>
        value.length === 0 ? (
          <EmptyState icon={FlaskConical} title="No limit is being tried" action={add}>
            A candidate counts beside a live limit and refuses nobody. It says whom it would have refused; then promote
            it, or not.
          </EmptyState>
        ) : (
          <div className="flex flex-col gap-4">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <p className="text-sm text-muted-foreground">
                Candidates count beside the live limits and refuse nobody. What they say holds after one window.
              </p>
              {add}
            </div>
            {value.map((candidate) => (
              <CandidateCard key={candidate.id} candidate={candidate} />
            ))}
          </div>
        )
      }
    </QueryPart>
  );
}
