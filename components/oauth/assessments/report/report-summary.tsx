import { formatNumber } from '@/components/format/number';
import { RelativeTime } from '@/components/format/relative-time';
import { DetailList } from '@/components/list/detail-list';
import { GradeMark } from '@/components/oauth/assessments/grade';
import { BaselineChooser } from '@/components/oauth/assessments/report/baseline-chooser';
import { VERDICT_LOOKS, VERDICT_WORDS } from '@/components/oauth/assessments/verdicts';
import { Badge } from '@/components/ui/badge';
import { Card, CardContent } from '@/components/ui/card';
import { type AssessmentReport, VERDICTS } from '@/lib/contract/assessments';

interface ReportSummaryProps {
  report: AssessmentReport;
  onBaseline: (id: string | null) => void;
}

/** The grade with what was not decided beside it, and who assessed what, when. */
export function ReportSummary({ report, onBaseline }: ReportSummaryProps) {
  const { summary, started_at, started_by, duration_ms, build } = report;
  return (
    <Card aria-label="Result">
      <CardContent className="flex flex-col gap-5 pt-4">
        <div className="flex flex-wrap items-center gap-x-5 gap-y-3">
          <GradeMark grade={summary.grade} large />
          <div className="flex min-w-0 flex-1 basis-64 flex-col gap-2">
            <p className="text-base font-medium">{meaningOf(report)}</p>
            <ul aria-label="Controls by verdict" className="flex flex-wrap gap-1.5">
              {VERDICTS.map((verdict) => (
                <li key={verdict}>
                  <Badge variant={summary[verdict] > 0 ? VERDICT_LOOKS[verdict] : 'outline'} className="tabular-nums">
                    {summary[verdict]} {VERDICT_WORDS[verdict].toLowerCase()}
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

/** What the grade means, with what it leaves open. */
function meaningOf({ summary, findings }: AssessmentReport): string {
  const failed = (severity: string) =>
    findings.filter((finding) => finding.verdict === 'failed' && finding.severity === severity).length;
  const [critical, high] = [failed('critical'), failed('high')];
  const worst =
    critical > 0
      ? `${critical} critical ${critical === 1 ? 'control' : 'controls'} failed.`
      : high > 0
        ? `${high} controls of high severity failed.`.replace(/^1 controls/, '1 control')
        : summary.failed > 0
          ? 'Nothing critical or high failed.'
          : 'Nothing failed.';
  const { inconclusive } = summary;
  if (inconclusive === 0) return worst;
  return `${worst} ${inconclusive} undecided, which never counts as good.`;
}
