import { ClassStep } from '@/components/explanation/class-step';
import { BypassSource } from '@/components/explanation/limit-source';
import { LimitStep, QuotaStep } from '@/components/explanation/limit-step';
import { TraceStep } from '@/components/explanation/trace-step';
import { VerdictStep } from '@/components/explanation/verdict-step';
import { formatWindow } from '@/components/format/duration';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import type { DecisionExplanation } from '@/lib/contract/explain';
import { formatNumber } from '@/lib/format-number';

const IncidentStep = loadOnDemand(() => import('@/components/explanation/incident-step'));

/** Identifies a limit of a request. A named limit has several, one for each window. */
const buildLimitKey = ({
  subject,
  limit_name,
  identifier,
  window_seconds,
  in_flight,
}: DecisionExplanation['subjects'][number]) => [subject, limit_name, identifier, window_seconds, in_flight].join(' ');

interface ExplanationTraceProps {
  explanation: DecisionExplanation;
  /** The request in question. */
  request?: { method?: string | null; path?: string | null };
}

/** Renders a decision as a trace from top to bottom: request, class, bypass, each limit, quota, verdict. */
export function ExplanationTrace({ explanation, request }: ExplanationTraceProps) {
  const { throttle, subjects, quota, api_key: key, store, incident, decision } = explanation;
  const bypass = subjects.find((subject) => subject.bypass !== null)?.bypass;
  return (
    <ol aria-label="How it is decided" className="flex flex-col">
      {request?.path ? (
        <TraceStep
          state="fact"
          title={
            <span className="font-mono text-xs break-all">
              <span className="text-muted-foreground">{request.method}</span> {request.path}
            </span>
          }
        />
      ) : null}
      <ClassStep explanation={explanation} />
      {throttle.counted ? (
        <TraceStep
          state={throttle.remaining === 0 ? 'refuses' : 'passes'}
          title="Global throttle"
          aside={`${formatNumber(throttle.used)} of ${formatNumber(throttle.limit)} in ${formatWindow(throttle.window_seconds)}`}
        />
      ) : null}
      {key && !key.valid ? (
        <TraceStep state="refuses" title="API key">
          It is unknown, revoked or expired.
        </TraceStep>
      ) : null}
      {store.available ? null : (
        <TraceStep state={store.on_failure === 'closed' ? 'refuses' : 'passes'} title="Counter store is down">
          {store.on_failure === 'closed'
            ? 'This class refuses everything while the counters cannot be read.'
            : 'This instance decides alone, at half the limits.'}
        </TraceStep>
      )}
      {incident ? <IncidentStep incident={incident} decision={decision} /> : null}
      {explanation.preflight === true ? (
        <TraceStep state="passes" title="CORS preflight">
          It counts against no limit: the policy “Count preflights” is off.
        </TraceStep>
      ) : null}
      {bypass ? (
        <TraceStep state="passes" title="On the allowlist">
          <p className="break-words">
            Rate limits are skipped, <BypassSource bypass={bypass} />.
          </p>
        </TraceStep>
      ) : null}
      {subjects.map((subject) => (
        <LimitStep key={buildLimitKey(subject)} subject={subject} skipped={bypass !== undefined} at={explanation.at} />
      ))}
      {quota ? <QuotaStep quota={quota} at={explanation.at} /> : null}
      <VerdictStep explanation={explanation} />
    </ol>
  );
}
