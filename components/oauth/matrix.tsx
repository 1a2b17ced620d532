'use client';

import { SourceLinks } from '@/components/oauth/control-labels';
import { rowOf } from '@/components/oauth/control-link';
import { Disclosure } from '@/components/oauth/disclosure';
import { ExchangeList } from '@/components/oauth/exchange-list';
import { type AssessedControl, VERDICTS } from '@/components/oauth/matrix/assessed-control';
import { SeverityBadge } from '@/components/oauth/severity-badge';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** A control's row: what was found; opens to its source, what it protects from, and the evidence. */
function MatrixRow({
  assessed,
  open,
  onOpenChange,
}: {
  assessed: AssessedControl;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { control, finding } = assessed;
  const count = finding.exchanges.length;
  return (
    <Disclosure
      id={rowOf(control.id)}
      open={open}
      onOpenChange={onOpenChange}
      className="border-b py-0.5 last:border-0"
      title={
        <span className="grid items-start gap-x-3 gap-y-0.5 sm:grid-cols-[3.5rem_minmax(0,1fr)_minmax(0,1fr)]">
          <SeverityBadge severity={control.severity} />
          <span className="min-w-0">
            <span className="font-medium">{control.title}</span>
            <span className="block font-mono text-xs text-muted-foreground">{control.id}</span>
          </span>
          <span className="min-w-0 text-xs text-muted-foreground wrap-anywhere sm:pt-px">
            {visibleText(finding.verdict.reason)}
          </span>
        </span>
      }
    >
      <dl className="mb-3 grid gap-x-6 gap-y-2 text-sm sm:grid-cols-2">
        <div>
          <dt className="text-xs text-muted-foreground">Protects from</dt>
          <dd>{control.protectsFrom}</dd>
        </div>
        <div>
          <dt className="text-xs text-muted-foreground">Source</dt>
          <dd>
            <SourceLinks sources={control.source} />
            {control.oauch ? <span className="text-muted-foreground"> · OAuch {control.oauch}</span> : null}
          </dd>
        </div>
      </dl>
      {count === 0 ? (
        <p className="text-sm text-muted-foreground">No exchange was needed.</p>
      ) : (
        <>
          <p className="mb-1 text-xs text-muted-foreground">
            Evidence: {count} {count === 1 ? 'exchange' : 'exchanges'}, repeated look-ups of metadata left out
          </p>
          <ExchangeList exchanges={finding.exchanges} />
        </>
      )}
    </Disclosure>
  );
}

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
              rows.map((row) => (
                <MatrixRow
                  key={row.control.id}
                  assessed={row}
                  open={opened.has(row.control.id)}
                  onOpenChange={(open) => onOpenChange(row.control.id, open)}
                />
              ))
            )}
          </section>
        );
      })}
    </div>
  );
}
