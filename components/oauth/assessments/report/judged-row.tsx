import type { ComponentProps, ReactNode } from 'react';
import { FindingLink } from '@/components/oauth/assessments/report/finding-link';
import { VERDICT_LOOKS } from '@/components/oauth/assessments/verdict-looks';
import { SourceLinks } from '@/components/oauth/control-labels';
import { Badge } from '@/components/ui/badge';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { VERDICT_TITLES } from '@/lib/oauth/report/verdict-titles';

export type FindingsById = ReadonlyMap<string, AssessmentReport['findings'][number]>;

interface JudgedRowProps {
  state: { label: string; variant: ComponentProps<typeof Badge>['variant'] };
  title: string;
  source: string;
  /** Ids of the controls that decide it. */
  controls: readonly string[];
  verdicts: FindingsById;
  /** Explanation above the controls. */
  children?: ReactNode;
}

/** Row for a threat or for a clause of a profile: its state, its source, and the controls that decide it. */
export function JudgedRow({ state, title, source, controls, verdicts, children }: JudgedRowProps) {
  return (
    <li className="grid gap-x-4 gap-y-1.5 px-4 py-2.5 text-sm sm:grid-cols-[6rem_minmax(0,1fr)_minmax(0,1.2fr)]">
      <Badge variant={state.variant}>{state.label}</Badge>
      <div className="min-w-0">
        <p className="font-medium">{title}</p>
        <p className="text-xs">
          <SourceLinks sources={[source]} />
        </p>
      </div>
      <div className="flex min-w-0 flex-col gap-1.5">
        {children ? <p className="text-xs text-muted-foreground">{children}</p> : null}
        {controls.length === 0 ? null : (
          <ul className="flex flex-wrap content-start gap-1.5">
            {controls.map((control) => (
              <li key={control} className="min-w-0">
                <ControlBadge control={control} finding={verdicts.get(control)} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </li>
  );
}

function ControlBadge({
  control,
  finding,
}: {
  control: string;
  finding: AssessmentReport['findings'][number] | undefined;
}) {
  if (finding === undefined) {
    return (
      <Badge variant="outline" className="font-mono">
        {control}
      </Badge>
    );
  }
  return (
    <FindingLink control={control} className="no-underline hover:underline">
      <Badge variant={VERDICT_LOOKS[finding.verdict]} className="font-mono" title={finding.title}>
        {control}
        <span className="sr-only">: {VERDICT_TITLES[finding.verdict]}</span>
      </Badge>
    </FindingLink>
  );
}
