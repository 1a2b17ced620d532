'use client';

import { rowOf } from '@/components/oauth/control-link';
import { Disclosure } from '@/components/oauth/exchange/disclosure';
import { ExchangeList } from '@/components/oauth/exchange/exchange-view';
import type { AssessedControl } from '@/components/oauth/matrix/assessed-control';
import { SeverityBadge } from '@/components/oauth/severity-badge';
import { SourceLinks } from '@/components/oauth/source-links';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** A control's row: what was found; opens to its source, what it protects from, and the evidence. */
export function MatrixRow({
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
