'use client';

import { Download } from 'lucide-react';
import { useState } from 'react';
import { formatUtc } from '@/components/format/relative-time';
import type { AssessmentReport } from '@/components/oauth/assessments/report';
import { useLab } from '@/components/oauth/lab-context';
import { Matrix } from '@/components/oauth/matrix';
import { assessedControls } from '@/components/oauth/matrix/assessed-control';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { scoreOf } from '@/lib/oauth/builder/score';

function download(report: AssessmentReport): void {
  const address = URL.createObjectURL(new Blob([JSON.stringify(report, null, 2)], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `oauth-assessment-${report.at.slice(0, 19).replaceAll(':', '')}.json`;
  link.click();
  URL.revokeObjectURL(address);
}

/** One report: its score and its matrix, with the evidence. */
export function ReportView({ report }: { report: AssessmentReport }) {
  const { controls } = useLab();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const assessed = assessedControls(controls, report.findings);
  const { percent } = scoreOf(
    assessed.map(({ control, finding }) => ({ severity: control.severity, kind: finding.verdict.kind })),
  );
  return (
    <Card aria-label={`Report ${report.name}`}>
      <CardHeader>
        <div>
          <CardTitle>{report.name}</CardTitle>
          <p className="text-xs text-muted-foreground tabular-nums">
            {formatUtc(report.at)} · {report.findings.length} controls in {(report.durationMs / 1000).toFixed(1)} s ·
            score {percent ?? 'not known'}
          </p>
        </div>
        <Button variant="outline" onClick={() => download(report)}>
          <Download aria-hidden /> Export JSON
        </Button>
      </CardHeader>
      <CardContent>
        <Matrix
          assessed={assessed}
          opened={opened}
          onOpenChange={(control, open) =>
            setOpened((before) => new Set(open ? [...before, control] : [...before].filter((one) => one !== control)))
          }
        />
      </CardContent>
    </Card>
  );
}
