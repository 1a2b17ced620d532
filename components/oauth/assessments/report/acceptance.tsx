import { BadgeCheck } from 'lucide-react';
import { call } from '@/components/api/call';
import { useReasonDialog } from '@/components/form/use-reason-dialog';
import { RelativeTime } from '@/components/format/relative-time';
import { Timestamp } from '@/components/format/timestamp';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { withdrawAcceptance } from '@/lib/contract/assessments';

const AcceptDialog = loadOnDemand(() => import('@/components/oauth/assessments/report/accept-dialog'));

interface AcceptanceProps {
  report: AssessmentReport;
  finding: AssessmentReport['findings'][number];
}

/** Shows who accepted a failure and why, with a button to accept it or to withdraw the acceptance. */
export function Acceptance({ report, finding }: AcceptanceProps) {
  const open = useDialog();
  const ask = useReasonDialog('assessments');
  const { accepted, control } = finding;
  const accept = () => open((onClose) => <AcceptDialog report={report} finding={finding} onClose={onClose} />);
  const withdraw = () =>
    ask({
      title: 'Withdraw the acceptance?',
      description: 'The finding is open again in every assessment of this target.',
      submitLabel: 'Withdraw',
      example: 'The migration is done',
      done: 'The finding is open again',
      final: true,
      send: (reason) => call(withdrawAcceptance, { params: { id: report.id, control }, query: { reason } }),
    });
  if (!accepted) {
    return (
      <RoleButton needs="operator" variant="outline" size="sm" className="self-start print:hidden" onClick={accept}>
        <BadgeCheck aria-hidden /> Accept this finding…
      </RoleButton>
    );
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-md bg-muted/60 px-3 py-2 text-sm">
      <p className="min-w-0 flex-1 basis-64 wrap-anywhere">
        <span className="font-medium">Accepted</span>{' '}
        {accepted.until ? (
          <>
            until <Timestamp at={accepted.until} />
          </>
        ) : (
          'until it is withdrawn'
        )}
        : {accepted.reason}
        <span className="block text-xs text-muted-foreground">
          {accepted.by}, <RelativeTime at={accepted.at} />
        </span>
      </p>
      <span className="flex gap-2 print:hidden">
        <RoleButton needs="operator" variant="outline" size="sm" onClick={accept}>
          Edit…
        </RoleButton>
        <RoleButton needs="operator" variant="outline" size="sm" onClick={withdraw}>
          Withdraw…
        </RoleButton>
      </span>
    </div>
  );
}
