import { RelativeTime } from '@/components/format/relative-time';
import { FindingLink } from '@/components/oauth/assessments/report/finding-link';
import { Badge } from '@/components/ui/badge';
import { TitledCard } from '@/components/ui/card';
import type { AssessmentReport, CHANGES } from '@/lib/contract/assessment-report';

type Change = (typeof CHANGES)[number];

/** Labels and colours for changes of failures since a baseline. */
export const CHANGE_LOOKS = {
  new: { label: 'New', variant: 'destructive', none: 'Nothing new failed.' },
  fixed: { label: 'Fixed', variant: 'success', none: 'Nothing was fixed.' },
  same: { label: 'Still failed', variant: 'warning', none: 'Nothing failed both times.' },
  unknown: { label: 'Undecided now', variant: 'outline', none: null },
} as const satisfies Record<Change, unknown>;

/** Lists new, fixed and unchanged failures since the baseline. */
export function Changes(props: { report: AssessmentReport; baseline: NonNullable<AssessmentReport['baseline']> }) {
  const { report, baseline } = props;
  const findingsByControl = new Map(report.findings.map((finding) => [finding.control, finding]));
  return (
    <TitledCard
      title="Since the baseline"
      description={
        <>
          {baseline.name}, <RelativeTime at={baseline.started_at} />
          {baseline.target === report.target ? null : `, of another target: ${baseline.target}`}
        </>
      }
      className="grid gap-x-6 gap-y-4 sm:grid-cols-2"
    >
      {(['new', 'fixed', 'same', 'unknown'] as const).map((change) => {
        const controls = report[change] ?? [];
        const { label, variant, none } = CHANGE_LOOKS[change];
        if (controls.length === 0 && none === null) return null;
        return (
          <section key={change} aria-label={label} className="min-w-0">
            <h3 className="mb-1.5">
              <Badge variant={controls.length > 0 ? variant : 'outline'} className="tabular-nums">
                {controls.length} {label.toLowerCase()}
              </Badge>
            </h3>
            {controls.length === 0 ? <p className="text-sm text-muted-foreground">{none}</p> : null}
            <ul className="flex max-h-60 flex-col gap-1 overflow-y-auto">
              {controls.map((control) => (
                <li key={control} className="text-sm">
                  <FindingLink control={control}>{findTitle(findingsByControl.get(control), control)}</FindingLink>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </TitledCard>
  );
}

function findTitle(finding: AssessmentReport['findings'][number] | undefined, control: string): string {
  if (finding === undefined) return control;
  return finding.verdict === 'failed' ? finding.wrong : finding.title;
}
