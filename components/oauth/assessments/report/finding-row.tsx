import { useCall } from '@/components/api/use-call';
import { CitedText } from '@/components/format/cited-text';
import { QueryPart } from '@/components/list/query-part';
import { Acceptance } from '@/components/oauth/assessments/report/acceptance';
import { CHANGE_LOOKS } from '@/components/oauth/assessments/report/changes';
import { buildFindingId } from '@/components/oauth/assessments/report/finding-link';
import { SeverityBadge, SourceLinks } from '@/components/oauth/control-labels';
import { ExchangeList, ExchangeTexts } from '@/components/oauth/exchange-list';
import { Badge } from '@/components/ui/badge';
import { Disclosure, type OpenSet } from '@/components/ui/disclosure';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import { readAssessment } from '@/lib/contract/assessments';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

type ReportedFinding = AssessmentReport['findings'][number];
interface FindingRowProps {
  report: AssessmentReport;
  finding: ReportedFinding;
  rows: OpenSet;
}

/** Row of one control: verdict and reason. Expanded, it shows the meaning, the fix and the evidence. */
export function FindingRow({ report, finding, rows }: FindingRowProps) {
  const { control, title, wrong, severity, verdict, reason, accepted, change } = finding;
  const failed = verdict === 'failed';
  const changed = change !== undefined && (failed || change === 'fixed' || change === 'unknown');
  return (
    <Disclosure
      id={buildFindingId(control)}
      {...rows.bind(control)}
      className="border-b py-0.5 last:border-0"
      title={
        <span className="grid items-start gap-x-3 gap-y-1 sm:grid-cols-[3.5rem_minmax(0,1fr)_minmax(0,1fr)]">
          <SeverityBadge severity={severity} failed={failed} />
          <span className="min-w-0">
            <span className="font-medium">{failed ? wrong : title}</span>
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span className="font-mono text-xs text-muted-foreground">{escapeInvisibleCharacters(control)}</span>
              {accepted ? <Badge variant="outline">accepted</Badge> : null}
              {changed ? <Badge variant={CHANGE_LOOKS[change].variant}>{CHANGE_LOOKS[change].label}</Badge> : null}
            </span>
          </span>
          <span className="min-w-0 text-xs text-muted-foreground wrap-anywhere sm:pt-px">
            {escapeInvisibleCharacters(reason)}
          </span>
        </span>
      }
    >
      <FindingDetails report={report} finding={finding} />
    </Disclosure>
  );
}

function FindingDetails({ report, finding }: Omit<FindingRowProps, 'rows'>) {
  const { protects_from, remedy, remedy_in = {}, source, verdict } = finding;
  const failed = verdict === 'failed';
  const products = Object.entries(remedy_in);
  return (
    <div className="flex flex-col gap-4">
      <dl className="grid gap-x-6 gap-y-3 text-sm sm:grid-cols-2">
        <Detail name={failed ? 'What an attacker gains' : 'Protects from'}>{protects_from}</Detail>
        <Detail name={failed ? 'What to change' : 'How it is kept'}>
          <CitedText>{remedy}</CitedText>
          {products.length > 0 ? (
            <ul className="mt-1.5 flex flex-col gap-1">
              {products.map(([product, instruction]) => (
                <li key={product}>
                  <span className="text-muted-foreground">In {product}:</span> {instruction}
                </li>
              ))}
            </ul>
          ) : null}
        </Detail>
        {source.length > 0 ? (
          <Detail name="Source">
            <SourceLinks sources={source} />
          </Detail>
        ) : null}
      </dl>
      {failed ? <Acceptance report={report} finding={finding} /> : null}
      {finding.exchanges.length === 0 ? (
        <p className="text-sm text-muted-foreground">No exchange was needed.</p>
      ) : (
        <section aria-label="Evidence" className="flex min-w-0 flex-col gap-2">
          <Evidence id={report.id} finding={finding} />
        </section>
      )}
    </div>
  );
}

/** Loads the exchanges of a finding. The report leaves them out because they are nine tenths of its bytes. */
function Evidence({ id, finding: { control, exchanges: ids } }: { id: string; finding: ReportedFinding }) {
  const query = { format: 'json', exchanges: control } as const;
  const evidence = useCall(['assessments', id, 'exchanges', control], readAssessment, { params: { id }, query });
  return (
    <QueryPart query={evidence}>
      {({ value }) => {
        const exchanges = ids.flatMap((each) => value.exchanges[each] ?? []);
        const last = exchanges.at(-1);
        return last === undefined ? null : (
          <>
            <h4 className="text-sm font-medium">
              The exchange that shows it: <span className="font-normal">{escapeInvisibleCharacters(last.label)}</span>
            </h4>
            <ExchangeTexts exchange={last} />
            {exchanges.length > 1 ? (
              <Disclosure className="-mx-1.5" title={`All ${exchanges.length} exchanges, in their order`}>
                <ExchangeList exchanges={exchanges} />
              </Disclosure>
            ) : null}
          </>
        );
      }}
    </QueryPart>
  );
}

function Detail({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-muted-foreground">{name}</dt>
      <dd className="mt-0.5 wrap-anywhere">{children}</dd>
    </div>
  );
}
