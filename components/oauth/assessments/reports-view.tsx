import { Download, Radar, Trash2 } from 'lucide-react';
import { formatUtc, RelativeTime } from '@/components/format/relative-time';
import { EmptyState } from '@/components/list/empty-state';
import { type AssessmentReport, compareReports, countVerdicts } from '@/components/oauth/assessments/report';
import { SeverityBadge } from '@/components/oauth/control-labels';
import { useOpenSet } from '@/components/oauth/disclosure';
import { useLab } from '@/components/oauth/lab-context';
import { assessedControls, Matrix, scoreOfAssessed } from '@/components/oauth/matrix';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { Checkbox } from '@/components/ui/checkbox';
import { cn } from '@/components/ui/cn';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** The reports of this browser: choose one to read it, two to compare them. */
export function ReportList(list: {
  reports: readonly AssessmentReport[];
  chosen: readonly string[];
  onChoose: (id: string, on: boolean) => void;
  onRemove: (id: string) => void;
}) {
  const { reports, chosen, onChoose, onRemove } = list;
  if (reports.length === 0) {
    return (
      <EmptyState icon={Radar} title="No report yet">
        Run an assessment. Its report is kept in this browser.
      </EmptyState>
    );
  }
  const row = 'flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2';
  return (
    <ul className="divide-y rounded-lg border bg-card">
      {reports.map((report) => {
        const { id, name, issuer, at } = report;
        const failed = countVerdicts(report, 'failed');
        const checked = chosen.includes(id);
        return (
          <li key={id} className={cn(row, checked && 'bg-primary-soft')}>
            <Checkbox id={`report-${id}`} checked={checked} onCheckedChange={(on) => onChoose(id, on === true)} />
            <label htmlFor={`report-${id}`} className="min-w-0 flex-1 basis-40 text-sm font-medium">
              {name}
              <span className="block truncate font-mono text-xs font-normal text-muted-foreground">{issuer}</span>
            </label>
            <Badge variant={failed > 0 ? 'destructive' : 'neutral'}>{failed} failed</Badge>
            <Badge variant="success">{countVerdicts(report, 'passed')} passed</Badge>
            <RelativeTime at={at} className="w-24 text-right text-xs text-muted-foreground" />
            <Button variant="ghost" size="icon" aria-label={`Remove the report ${name}`} onClick={() => onRemove(id)}>
              <Trash2 aria-hidden />
            </Button>
          </li>
        );
      })}
    </ul>
  );
}

export function ReportView({ report }: { report: AssessmentReport }) {
  const rows = useOpenSet();
  const assessed = assessedControls(useLab().controls, report.findings);
  return (
    <Card aria-label={`Report ${report.name}`}>
      <CardHeader>
        <div>
          <CardTitle>{report.name}</CardTitle>
          <p className="text-xs text-muted-foreground tabular-nums">
            {formatUtc(report.at)} · {report.findings.length} controls in {(report.durationMs / 1000).toFixed(1)} s ·
            score {scoreOfAssessed(assessed).percent ?? 'unknown'}
          </p>
        </div>
        <Button variant="outline" onClick={() => download(report)}>
          <Download aria-hidden /> Export JSON
        </Button>
      </CardHeader>
      <CardContent>
        <Matrix assessed={assessed} rows={rows} />
      </CardContent>
    </Card>
  );
}

function download(report: AssessmentReport): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' }));
  link.download = `oauth-assessment-${report.at.slice(0, 19).replaceAll(':', '')}.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

const LOOKS = { passed: 'success', failed: 'destructive', inconclusive: 'neutral', not_applicable: 'outline' } as const;

export function ReportComparison({ before, after }: { before: AssessmentReport; after: AssessmentReport }) {
  const { controls } = useLab();
  const rows = compareReports(before, after, controls);
  const differing = rows.filter((row) => row.before !== row.after).length;
  return (
    <Card aria-label="Comparison of two reports">
      <CardHeader>
        <CardTitle>Comparison</CardTitle>
        <span className="text-sm text-muted-foreground">
          {differing === 0 ? 'No control differs.' : `${differing} of ${rows.length} controls differ.`}
        </span>
      </CardHeader>
      <CardContent className="overflow-x-auto px-0">
        <table className="w-full">
          <thead className="text-left text-xs text-muted-foreground">
            <tr>
              {['Control', before.name, after.name].map((head, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the columns never move
                <th key={column} scope="col" className="px-3 py-1.5 font-normal first:pl-4">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => {
              const control = controls.find(({ id }) => id === row.control);
              const differs = index < differing;
              return (
                <tr key={row.control} className={cn('border-t', differs && 'shadow-[inset_3px_0_0] shadow-warning')}>
                  <th scope="row" className="py-1.5 pr-3 pl-4 text-left text-sm font-normal">
                    <span className="flex items-start gap-2.5">
                      {control ? <SeverityBadge severity={control.severity} /> : null}
                      <span>
                        {control?.title ?? visibleText(row.control)}
                        {differs ? <span className="text-xs font-medium text-warning-text"> · differs</span> : null}
                      </span>
                    </span>
                  </th>
                  {[row.before, row.after].map((kind, column) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: before and after never swap
                    <td key={column} className="px-3 py-1.5 align-top">
                      {kind === null ? (
                        <span className="text-xs text-muted-foreground">not assessed</span>
                      ) : (
                        <Badge variant={LOOKS[kind]}>{kind.replace('_', ' ')}</Badge>
                      )}
                    </td>
                  ))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </CardContent>
    </Card>
  );
}
