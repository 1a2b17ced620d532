'use client';

import { type AssessmentReport, type ComparedVerdict, compareReports } from '@/components/oauth/assessments/report';
import { useControl, useLab } from '@/components/oauth/lab-context';
import { SeverityBadge } from '@/components/oauth/severity-badge';
import { Badge } from '@/components/ui/badge';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { visibleText } from '@/lib/oauth/builder/visible-text';

const LOOKS = {
  passed: { variant: 'success', text: 'passed' },
  failed: { variant: 'destructive', text: 'failed' },
  inconclusive: { variant: 'neutral', text: 'inconclusive' },
  not_applicable: { variant: 'outline', text: 'not applicable' },
} as const;

function VerdictBadge({ kind }: { kind: VerdictKind | null }) {
  if (kind === null) return <span className="text-xs text-muted-foreground">not assessed</span>;
  return <Badge variant={LOOKS[kind].variant}>{LOOKS[kind].text}</Badge>;
}

function Row({ row }: { row: ComparedVerdict }) {
  const control = useControl(row.control);
  const differs = row.before !== row.after;
  return (
    <tr className={cn('border-t', differs && 'shadow-[inset_3px_0_0] shadow-warning')}>
      <th scope="row" className="py-1.5 pr-3 pl-4 text-left text-sm font-normal">
        <span className="flex items-start gap-2.5">
          {control ? <SeverityBadge severity={control.severity} /> : null}
          <span>
            {control?.title ?? visibleText(row.control)}
            {differs ? <span className="text-xs font-medium text-warning-text"> · differs</span> : null}
          </span>
        </span>
      </th>
      <td className="px-3 py-1.5 align-top">
        <VerdictBadge kind={row.before} />
      </td>
      <td className="px-3 py-1.5 align-top">
        <VerdictBadge kind={row.after} />
      </td>
    </tr>
  );
}

/** Two reports side by side, the controls that differ first. */
export function ReportComparison({ before, after }: { before: AssessmentReport; after: AssessmentReport }) {
  const rows = compareReports(before, after, useLab().controls);
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
              <th scope="col" className="py-1.5 pl-4 font-normal">
                Control
              </th>
              <th scope="col" className="px-3 py-1.5 font-normal">
                {before.name}
              </th>
              <th scope="col" className="px-3 py-1.5 font-normal">
                {after.name}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.control} row={row} />
            ))}
          </tbody>
        </table>
      </CardContent>
    </Card>
  );
}
