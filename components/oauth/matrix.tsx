import { CircleCheck, CircleDashed, CircleMinus, CircleX, type LucideIcon, Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { CitedText } from '@/components/format/cited-text';
import { AREA_TITLES } from '@/components/oauth/area-titles';
import type { AssessedControl } from '@/components/oauth/assessed-control';
import { SeverityBadge, SourceLinks } from '@/components/oauth/control-labels';
import { ExchangeList } from '@/components/oauth/exchange-list';
import { useMatrixFilter } from '@/components/oauth/matrix-filter';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { Disclosure, type OpenSet } from '@/components/ui/disclosure';
import { Input } from '@/components/ui/input';
import { NativeSelect } from '@/components/ui/native-select';
import { Segmented } from '@/components/ui/segmented';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';
import { AREAS } from '@/lib/oauth/controls/control';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

const SECTIONS = [
  { kind: 'failed', title: 'Failed controls', icon: CircleX, colour: 'text-destructive-text' },
  { kind: 'passed', title: 'Passed controls', icon: CircleCheck, colour: 'text-success-text' },
  { kind: 'inconclusive', title: 'Inconclusive', icon: CircleDashed, colour: 'text-warning-text' },
  { kind: 'not_applicable', title: 'Not applicable', icon: CircleMinus, colour: 'text-muted-foreground' },
] as const satisfies readonly { kind: VerdictKind; title: string; icon: LucideIcon; colour: string }[];

/** Lists controls by verdict, most severe first, with filters stored in the URL. */
export function Matrix({ assessed, rows }: { assessed: readonly AssessedControl[]; rows: OpenSet }) {
  const filter = useMatrixFilter();
  const shown = assessed.filter(filter.isShown);
  return (
    <div className="@container flex flex-col gap-4">
      <MatrixFilters filter={filter} />
      {SECTIONS.map((section) => {
        const own = shown.filter(({ finding }) => finding.verdict.kind === section.kind);
        if (own.length === 0 && (filter.isSet || section.kind !== 'failed')) return null;
        return (
          <section key={section.kind} aria-label={section.title}>
            <h3 className="mb-1 text-sm font-semibold">
              {section.title} <span className="font-normal text-muted-foreground tabular-nums">({own.length})</span>
            </h3>
            {own.map((row) => (
              <MatrixRow key={row.control.id} assessed={row} rows={rows} section={section} />
            ))}
            {own.length === 0 ? <p className="text-sm text-muted-foreground">None failed.</p> : null}
          </section>
        );
      })}
      {filter.isSet && shown.length === 0 ? (
        <p className="text-sm text-muted-foreground">
          No control matches.{' '}
          <Button variant="ghost" size="sm" onClick={filter.clear}>
            Show all
          </Button>
        </p>
      ) : null}
    </div>
  );
}

function MatrixFilters({ filter: { verdict, area, q, set } }: { filter: ReturnType<typeof useMatrixFilter> }) {
  return (
    <search className="flex flex-wrap items-center gap-2" aria-label="Filter controls">
      <Segmented
        label="Verdict"
        value={verdict}
        onChange={(next) => set({ verdict: next })}
        options={[
          { value: 'all', label: 'All' },
          { value: 'failed', label: 'Failed' },
        ]}
      />
      <NativeSelect
        aria-label="Area"
        className="h-8"
        value={area}
        onChange={(event) => set({ area: AREAS.find((name) => name === event.target.value) ?? 'all' })}
        options={[
          { value: 'all', label: 'All areas' },
          ...AREAS.map((name) => ({ value: name, label: AREA_TITLES[name] })),
        ]}
      />
      <span className="relative min-w-32 flex-1">
        <Search aria-hidden className="absolute top-2 left-2.5 size-4 text-muted-foreground" />
        <Input
          type="search"
          aria-label="Search controls"
          placeholder="Search"
          className="pl-8"
          value={q}
          onChange={(event) => set({ q: event.target.value })}
        />
      </span>
    </search>
  );
}

interface MatrixRowProps {
  assessed: AssessedControl;
  rows: OpenSet;
  section: (typeof SECTIONS)[number];
}

function MatrixRow({ assessed: { control, finding }, rows, section: { icon: Icon, colour } }: MatrixRowProps) {
  const failed = finding.verdict.kind === 'failed';
  const count = finding.exchanges.length;
  return (
    <Disclosure
      id={`control-${control.id}`}
      {...rows.bind(control.id)}
      className="border-b py-0.5 last:border-0"
      title={
        <span className="flex items-start gap-2">
          <Icon aria-hidden className={cn('mt-0.5 size-4 shrink-0', colour)} />
          <span className="min-w-0 flex-1">
            <span className="font-medium">{failed ? control.wrong : control.title}</span>
            <span className="mt-0.5 line-clamp-2 text-xs text-muted-foreground wrap-anywhere">
              {escapeInvisibleCharacters(finding.verdict.reason)}
            </span>
          </span>
          <SeverityBadge severity={control.severity} failed={failed} />
        </span>
      }
    >
      <dl className="mb-3 grid gap-x-6 gap-y-2 text-sm @lg:grid-cols-2">
        <Fact name="Protects from">{control.protectsFrom}</Fact>
        {failed ? (
          <Fact name="What to change">
            <CitedText>{control.remedy.change}</CitedText>
          </Fact>
        ) : null}
        <Fact name="Source">
          <SourceLinks sources={control.source} />
          {control.oauch ? <span className="text-muted-foreground"> · OAuch {control.oauch}</span> : null}
        </Fact>
        <Fact name="Control">
          <code className="font-mono text-xs">{control.id}</code>
        </Fact>
      </dl>
      <p className="mb-1 text-xs text-muted-foreground">
        {count === 0
          ? 'No exchange was needed.'
          : `Evidence: ${count} ${count === 1 ? 'exchange' : 'exchanges'}, repeated look-ups of metadata left out`}
      </p>
      <ExchangeList exchanges={finding.exchanges} verdict={finding.verdict.kind} />
    </Disclosure>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted-foreground">{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
