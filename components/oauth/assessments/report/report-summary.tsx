import { RelativeTime } from '@/components/format/relative-time';
import { DetailList } from '@/components/list/detail-list';
import { GradeMark } from '@/components/oauth/assessments/grade';
import { BaselineChooser } from '@/components/oauth/assessments/report/baseline-chooser';
import { VERDICT_LOOKS } from '@/components/oauth/assessments/verdict-looks';
import { Badge } from '@/components/ui/badge';
import { Card, CardContent } from '@/components/ui/card';
import type { GRADES } from '@/lib/contract/assessment-events';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { formatCount, formatNumber } from '@/lib/format-number';
import { VERDICT_ORDER, VERDICT_TITLES } from '@/lib/oauth/report/verdict-titles';

interface ReportSummaryProps {
  report: AssessmentReport;
  onBaseline: (id: string | null) => void;
}

/** Shows the grade, the undecided controls, and who assessed what, when. */
export function ReportSummary({ report, onBaseline }: ReportSummaryProps) {
  const { summary, started_at, started_by, duration_ms, build } = report;
  return (
    <Card aria-label="Result">
      <CardContent className="flex flex-col gap-5 pt-4">
        <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
          <GradeMark grade={summary.grade} large />
          <div className="flex min-w-0 flex-1 basis-64 flex-col gap-2">
            <p className="text-base font-medium">{summarizeGrade(report)}</p>
            {summary.grade === null ? null : <p className="text-sm text-muted-foreground">{RULES[summary.grade]}</p>}
            <ul aria-label="Controls by verdict" className="flex flex-wrap gap-1.5">
              {VERDICT_ORDER.map((verdict) => (
                <li key={verdict}>
                  <Badge variant={summary[verdict] > 0 ? VERDICT_LOOKS[verdict] : 'outline'} className="tabular-nums">
                    {summary[verdict]} {VERDICT_TITLES[verdict].toLowerCase()}
                  </Badge>
                </li>
              ))}
            </ul>
          </div>
          <BaselineChooser report={report} onChange={onBaseline} />
        </div>
        <DetailList
          className="grid-cols-2"
          details={[
            { name: 'Started', value: <RelativeTime at={started_at} /> },
            { name: 'By', value: <span title={started_by}>{started_by}</span> },
            { name: 'Took', value: `${formatNumber(Math.round(duration_ms / 100) / 10)} s` },
            { name: 'Judged by', value: `Sluice ${build}` },
          ]}
        />
      </CardContent>
    </Card>
  );
}

/** Summarizes the causes behind the grade by severity, and what is undecided. */
function summarizeGrade({ summary, causes, state }: AssessmentReport): string {
  const countCauses = (severity: string) => causes.filter((cause) => cause.severity === severity).length;
  const worst = (['critical', 'high', 'medium'] as const).find((severity) => countCauses(severity) > 0);
  const { inconclusive, failed: all, grade } = summary;
  const inAll = all > causes.length ? ` ${formatCount(causes.length, 'cause')} made ${all} controls fail.` : '';
  const failures =
    worst !== undefined
      ? `${formatCount(countCauses(worst), `${worst} defect`)} found.${inAll}`
      : all > 0
        ? 'Nothing worse than low severity failed.'
        : 'Nothing failed.';
  const tooLittle = grade === null && state === 'finished' ? ' Too little was decided for a grade.' : '';
  const undecided = inconclusive === 0 ? '' : ` ${inconclusive} could not be decided and do not count as good.`;
  return failures + tooLittle + undecided;
}

const RULES: Readonly<Record<(typeof GRADES)[number], string>> = {
  A: 'Grade A: nothing worse than low severity failed, and every critical control was decided.',
  B: 'Grade B: a medium control failed, or a critical one is undecided.',
  C: 'Grade C: one or two causes of high severity.',
  D: 'Grade D: three causes of high severity or more.',
  F: 'Grade F: a critical control failed.',
};
