'use client';

import { type AssessedControl, VERDICTS } from '@/components/oauth/matrix/assessed-control';
import { MatrixRow } from '@/components/oauth/matrix/matrix-row';

/** Failed and passed controls with their counts, the most severe first; what is neither stands apart. */
export function Matrix({
  assessed,
  opened,
  onOpenChange,
}: {
  assessed: readonly AssessedControl[];
  /** The controls whose rows are open. */
  opened: ReadonlySet<string>;
  onOpenChange: (control: string, open: boolean) => void;
}) {
  return (
    <div className="flex flex-col gap-5">
      {VERDICTS.map(({ kind, title }) => {
        const rows = assessed.filter((one) => one.finding.verdict.kind === kind);
        if (rows.length === 0 && kind !== 'failed' && kind !== 'passed') return null;
        return (
          <section key={kind} aria-label={title}>
            <h3 className="mb-1 text-sm font-semibold">
              {title} <span className="font-normal text-muted-foreground tabular-nums">({rows.length})</span>
            </h3>
            {rows.length === 0 ? (
              <p className="text-sm text-muted-foreground">{kind === 'failed' ? 'None failed.' : 'None passed.'}</p>
            ) : (
              rows.map((one) => (
                <MatrixRow
                  key={one.control.id}
                  assessed={one}
                  open={opened.has(one.control.id)}
                  onOpenChange={(open) => onOpenChange(one.control.id, open)}
                />
              ))
            )}
          </section>
        );
      })}
    </div>
  );
}
