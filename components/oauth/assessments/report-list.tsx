'use client';

import { Radar, Trash2 } from 'lucide-react';
import { RelativeTime } from '@/components/format/relative-time';
import { EmptyState } from '@/components/list/empty-state';
import { type AssessmentReport, countVerdicts } from '@/components/oauth/assessments/report';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Checkbox } from '@/components/ui/checkbox';
import { cn } from '@/components/ui/cn';

/** The reports of this browser: choose one to read it, two to compare them. */
export function ReportList({
  reports,
  chosen,
  onChoose,
  onRemove,
}: {
  reports: readonly AssessmentReport[];
  chosen: readonly string[];
  onChoose: (id: string, on: boolean) => void;
  onRemove: (id: string) => void;
}) {
  if (reports.length === 0) {
    return (
      <EmptyState icon={Radar} title="No report yet">
        Run an assessment. Its report is kept in this browser.
      </EmptyState>
    );
  }
  return (
    <ul className="divide-y rounded-lg border bg-card">
      {reports.map((report) => {
        const { id, name, issuer, at } = report;
        const failed = countVerdicts(report, 'failed');
        const checked = chosen.includes(id);
        return (
          <li
            key={id}
            className={cn('flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2', checked && 'bg-primary-soft')}
          >
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
