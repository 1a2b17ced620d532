import { FlaskConical } from 'lucide-react';
import Link from 'next/link';
import { CandidateCard } from '@/components/candidates/candidate-card';
import { useCandidates } from '@/components/candidates/use-candidates';
import { EmptyState } from '@/components/list/empty-state';
import { QueryPart } from '@/components/list/query-part';
import { useDialog } from '@/components/shell/dialogs';
import { onDemand } from '@/components/shell/on-demand';
import { RoleButton } from '@/components/shell/role-button';

const CandidateDialog = onDemand(() => import('@/components/candidates/candidate-dialog'));
const CandidateRulesCard = onDemand(() => import('@/components/candidates/candidate-rules-card'));

/** Limits and route rules that are tried beside the live ones. */
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
          <EmptyState icon={FlaskConical} title="Nothing is being tried" action={add}>
            A candidate counts beside a live limit, or beside the live route rules, and refuses nobody. It says whom it
            would have refused; then promote it, or not. Route rules are tried from{' '}
            <Link href="/limits?tab=routes" prefetch={false} className="text-foreground underline underline-offset-4">
              where they are edited
            </Link>
            .
          </EmptyState>
        ) : (
          <div className="flex flex-col gap-4">
            <div className="flex flex-wrap items-center justify-between gap-2">
              <p className="text-sm text-muted-foreground">
                Candidates count beside the live limits and route rules and refuse nobody.
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
