import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { type FindingsById, JudgedRow } from '@/components/oauth/assessments/report/judged-row';
import { TitledCard } from '@/components/ui/card';
import { Disclosure } from '@/components/ui/disclosure';
import { Segmented } from '@/components/ui/segmented';
import type { AssessmentReport } from '@/lib/contract/assessment-report';

type ReportedThreat = AssessmentReport['threats'][number];

/** States of a threat, worst first. */
const STATES = {
  open: { label: 'Open', variant: 'destructive', text: 'a critical control against it failed, or every decided one' },
  partly: { label: 'Partly', variant: 'warning', text: 'some controls against it failed or are undecided' },
  mitigated: { label: 'Mitigated', variant: 'success', text: 'every control against it that applies passed' },
  'not judged': { label: 'Not judged', variant: 'outline', text: 'nothing against it was decided' },
} as const satisfies Record<ReportedThreat['state'], unknown>;
const STATE_NAMES = ['open', 'partly', 'mitigated', 'not judged'] as const;

const DOCUMENTS = [
  { rfc: 'RFC 9700', title: 'Best Current Practice for OAuth 2.0 Security' },
  { rfc: 'RFC 6819', title: 'OAuth 2.0 Threat Model' },
] as const;

/** Lists every threat of RFC 9700 and RFC 6819 with its mitigating controls and their state. */
export function ThreatsView({ report }: { report: AssessmentReport }) {
  const { threats, findings } = report;
  const [state, setState] = useQueryState('state', parseAsStringLiteral(['all', ...STATE_NAMES]).withDefault('all'));
  const shown = threats.filter((threat) => state === 'all' || threat.state === state);
  // Threats that need attention come first. The others are collapsed.
  const isFolded = (threat: ReportedThreat) =>
    state === 'all' && (threat.state === 'mitigated' || threat.state === 'not judged');
  const verdicts = new Map(findings.map((finding) => [finding.control, finding]));
  const count = (name: ReportedThreat['state']) => threats.filter((threat) => threat.state === name).length;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-col gap-2">
        <Segmented
          label="State of the threats"
          className="max-sm:grid max-sm:h-auto max-sm:w-full max-sm:grid-cols-2 print:hidden"
          value={state}
          onChange={(next) => void setState(next)}
          options={[
            { value: 'all', label: `All ${threats.length}` },
            ...STATE_NAMES.map((name) => ({ value: name, label: `${STATES[name].label} ${count(name)}` })),
          ]}
        />
        <p className="text-sm text-muted-foreground">
          {state === 'all'
            ? 'A threat is mitigated when every control against it that applies passed.'
            : `${STATES[state].label}: ${STATES[state].text}.`}
        </p>
      </div>
      {DOCUMENTS.map(({ rfc, title }) => {
        const own = shown.filter(({ source }) => source.startsWith(rfc));
        if (own.length === 0) return null;
        return (
          <TitledCard key={rfc} title={rfc} description={title} className="px-0 pb-0">
            <ThreatList threats={own.filter((threat) => !isFolded(threat))} verdicts={verdicts} />
            {own.some(isFolded) ? (
              <Disclosure
                className="border-t px-2.5 py-1"
                title={`${own.filter(isFolded).length} mitigated or not judged`}
              >
                <ThreatList threats={own.filter(isFolded)} verdicts={verdicts} />
              </Disclosure>
            ) : null}
          </TitledCard>
        );
      })}
      {shown.length === 0 ? <p className="py-6 text-center text-sm text-muted-foreground">No threat matches.</p> : null}
    </div>
  );
}

function ThreatList({ threats, verdicts }: { threats: readonly ReportedThreat[]; verdicts: FindingsById }) {
  if (threats.length === 0) return null;
  return (
    <ul className="divide-y border-t">
      {threats.map((threat) => (
        <ThreatRow key={threat.source} threat={threat} verdicts={verdicts} />
      ))}
    </ul>
  );
}

function ThreatRow({ threat, verdicts }: { threat: ReportedThreat; verdicts: FindingsById }) {
  const { source, title, controls, state, unjudged } = threat;
  return (
    <JudgedRow state={STATES[state]} title={title} source={source} controls={controls} verdicts={verdicts}>
      {controls.length === 0 ? `Cannot be judged from outside. ${unjudged}` : null}
    </JudgedRow>
  );
}
