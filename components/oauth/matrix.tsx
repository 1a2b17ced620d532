import { SeverityBadge, SourceLinks } from '@/components/oauth/control-labels';
import { Disclosure, type OpenSet } from '@/components/oauth/disclosure';
import { ExchangeList } from '@/components/oauth/exchange-list';
import type { Finding } from '@/lib/oauth/assessment/run';
import { scoreOf } from '@/lib/oauth/builder/score';
import { visibleText } from '@/lib/oauth/builder/visible-text';
import type { ControlDescription } from '@/lib/oauth/controls/control';

export interface AssessedControl {
  control: ControlDescription;
  finding: Finding;
}

/** Controls with their findings, in the order of `controls`: the most severe first. */
export function assessedControls(controls: readonly ControlDescription[], findings: readonly Finding[]) {
  return controls.flatMap((control) =>
    findings.filter((finding) => finding.control === control.id).map((finding) => ({ control, finding })),
  );
}

export function scoreOfAssessed(assessed: readonly AssessedControl[]) {
  return scoreOf(assessed.map(({ control, finding }) => ({ severity: control.severity, kind: finding.verdict.kind })));
}

const SECTIONS = [
  { kind: 'failed', title: 'Failed controls', empty: 'None failed.' },
  { kind: 'passed', title: 'Passed controls', empty: 'None passed.' },
  { kind: 'inconclusive', title: 'Inconclusive', empty: null },
  { kind: 'not_applicable', title: 'Not applicable', empty: null },
] as const;

/** Controls by verdict, the most severe first. An empty section is only shown for failed and passed. */
export function Matrix({ assessed, rows }: { assessed: readonly AssessedControl[]; rows: OpenSet }) {
  return (
    <div className="flex flex-col gap-5">
      {SECTIONS.map(({ kind, title, empty }) => {
        const own = assessed.filter(({ finding }) => finding.verdict.kind === kind);
        if (own.length === 0 && empty === null) return null;
        return (
          <section key={kind} aria-label={title}>
            <h3 className="mb-1 text-sm font-semibold">
              {title} <span className="font-normal text-muted-foreground tabular-nums">({own.length})</span>
            </h3>
            {own.map((row) => (
              <MatrixRow key={row.control.id} assessed={row} rows={rows} />
            ))}
            {own.length === 0 ? <p className="text-sm text-muted-foreground">{empty}</p> : null}
          </section>
        );
      })}
    </div>
  );
}

function MatrixRow({ assessed: { control, finding }, rows }: { assessed: AssessedControl; rows: OpenSet }) {
  const count = finding.exchanges.length;
  return (
    <Disclosure
      id={`control-${control.id}`}
      {...rows.of(control.id)}
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
      <p className={count === 0 ? 'text-sm text-muted-foreground' : 'mb-1 text-xs text-muted-foreground'}>
        {count === 0
          ? 'No exchange was needed.'
          : `Evidence: ${count} ${count === 1 ? 'exchange' : 'exchanges'}, repeated look-ups of metadata left out`}
      </p>
      <ExchangeList exchanges={finding.exchanges} />
    </Disclosure>
  );
}
