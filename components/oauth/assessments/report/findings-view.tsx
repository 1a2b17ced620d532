import { ChevronRight, X } from 'lucide-react';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { FindingRow } from '@/components/oauth/assessments/report/finding-row';
import type { FindingRows } from '@/components/oauth/assessments/report/use-finding-rows';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Input } from '@/components/ui/input';
import { NativeSelect } from '@/components/ui/native-select';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { type CauseWithFindings, groupByCause } from '@/lib/oauth/report/group-by-cause';
import { VERDICT_ORDER, VERDICT_TITLES } from '@/lib/oauth/report/verdict-titles';

const MEANINGS: Readonly<Record<(typeof VERDICT_ORDER)[number], string>> = {
  failed: 'The server accepted what it must reject',
  inconclusive: 'The evidence is not enough; never counted as good',
  passed: 'The bad request was refused, and the good one was not',
  not_applicable: 'The server does not offer what these protect',
};
const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;

/** Lists findings by verdict, failures first, most severe first. */
export function FindingsView({ report, rows }: { report: AssessmentReport; rows: FindingRows }) {
  const { shown, isFiltered, filters } = useFilters(report);
  const sections = VERDICT_ORDER.map((verdict) => ({ verdict, own: shown.filter((each) => each.verdict === verdict) }));
  return (
    <div className="flex flex-col gap-4">
      {filters}
      {shown.length === 0 ? (
        <p className="py-6 text-center text-sm text-muted-foreground">No finding matches.</p>
      ) : null}
      {sections.map(({ verdict, own }) => {
        if (own.length === 0 && (verdict !== 'failed' || isFiltered)) return null;
        const open = isFiltered || own.length === 0 || rows.sections.has(verdict);
        return (
          <Card key={verdict} aria-label={VERDICT_TITLES[verdict]}>
            <h2>
              <button
                type="button"
                aria-expanded={open}
                onClick={() => rows.setSection(verdict, !open)}
                className="flex min-h-11 w-full items-center gap-2 rounded-lg px-3 text-left text-base font-semibold hover:bg-accent focus-visible:-outline-offset-2"
              >
                <ChevronRight
                  aria-hidden
                  className={cn('size-4 shrink-0 text-muted-foreground transition-transform', open && 'rotate-90')}
                />
                {VERDICT_TITLES[verdict]}
                <span className="font-normal text-muted-foreground tabular-nums">{own.length}</span>
                <span className="ml-auto text-right text-sm font-normal text-muted-foreground max-sm:hidden">
                  {MEANINGS[verdict]}
                </span>
              </button>
            </h2>
            {open && own.length === 0 ? (
              <p className="px-4 pb-4 text-sm text-muted-foreground">No control failed.</p>
            ) : null}
            {open && own.length > 0 ? (
              <div className="border-t px-2.5 pb-1">
                {SEVERITIES.map((severity) => {
                  const causes = groupByCause(own).filter((cause) => findWorstSeverity(cause) === severity);
                  if (causes.length === 0) return null;
                  return (
                    <div key={severity}>
                      <h3 className="px-1.5 pt-3 pb-1 text-xs text-muted-foreground first-letter:uppercase">
                        {severity} <span className="tabular-nums">{causes.length}</span>
                      </h3>
                      {causes.map((cause) => (
                        <CauseRows key={cause.first.control} cause={cause} report={report} rows={rows.rows} />
                      ))}
                    </div>
                  );
                })}
              </div>
            ) : null}
          </Card>
        );
      })}
    </div>
  );
}

type Finding = AssessmentReport['findings'][number];

const findWorstSeverity = ({ first, others }: CauseWithFindings<Finding>) =>
  SEVERITIES.find((severity) => [first, ...others].some((finding) => finding.severity === severity));

interface CauseRowsProps {
  cause: CauseWithFindings<Finding>;
  report: AssessmentReport;
  rows: FindingRows['rows'];
}

/** Shows the finding that names a cause, and below it the others that it explains. */
function CauseRows({ cause: { first, others }, report, rows }: CauseRowsProps) {
  if (others.length === 0) return <FindingRow report={report} finding={first} rows={rows} />;
  return (
    <div className="border-b last:border-0">
      <FindingRow report={report} finding={first} rows={rows} />
      <section aria-label={`The same cause as ${first.control}`} className="mb-2 ml-4 border-l pl-2">
        <p className="px-1.5 pt-1 text-xs text-muted-foreground">The same cause</p>
        {others.map((finding) => (
          <FindingRow key={finding.control} report={report} finding={finding} rows={rows} />
        ))}
      </section>
    </div>
  );
}

/** Keeps the filters in the URL and returns the findings that pass them. */
function useFilters({ findings }: AssessmentReport) {
  const areas = [...new Set(findings.map(({ area }) => area))];
  const [state, setState] = useQueryStates({
    q: parseAsString.withDefault(''),
    area: parseAsString,
    severity: parseAsStringLiteral(SEVERITIES),
  });
  const { area, severity } = state;
  const words = state.q.trim().toLowerCase();
  const isFiltered = words !== '' || area !== null || severity !== null;
  const shown = findings.filter(
    (finding) =>
      (area === null || finding.area === area) &&
      (severity === null || finding.severity === severity) &&
      [finding.control, finding.title, finding.wrong, finding.reason, ...finding.source].some((text) =>
        text.toLowerCase().includes(words),
      ),
  );
  const buildChoices = (all: string, values: readonly string[]) => [
    { value: '', label: all },
    ...values.map((value) => ({ value, label: value })),
  ];
  const filters = (
    <search className="flex flex-wrap items-center gap-2 print:hidden">
      <Input
        type="search"
        aria-label="Search the findings"
        placeholder="Search control or RFC"
        className="w-64 max-sm:w-full"
        value={state.q}
        onChange={(event) => void setState({ q: event.target.value || null })}
      />
      <NativeSelect
        aria-label="Severity"
        className="h-8 max-sm:flex-1"
        value={severity ?? ''}
        onChange={(event) =>
          void setState({ severity: SEVERITIES.find((each) => each === event.target.value) ?? null })
        }
        options={buildChoices('All severities', SEVERITIES)}
      />
      <NativeSelect
        aria-label="Area"
        className="h-8 max-sm:flex-1"
        value={area ?? ''}
        onChange={(event) => void setState({ area: event.target.value || null })}
        options={buildChoices('All areas', areas)}
      />
      {isFiltered ? (
        <Button variant="ghost" onClick={() => void setState(null)}>
          <X aria-hidden /> Clear
        </Button>
      ) : null}
    </search>
  );
  return { shown, isFiltered, filters };
}
