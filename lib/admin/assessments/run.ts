import { setTimeout as sleep } from 'node:timers/promises';
import { BEAT, type Progress, renewLease, writeEnd } from '@/lib/admin/assessments/record';
import { createVisitor } from '@/lib/admin/assessments/visits';
import type { AssessmentLine } from '@/lib/contract/assessment-events';
import { convertFault } from '@/lib/fault';
import { ApiError } from '@/lib/http/api-error';
import { BrowserVisits } from '@/lib/oauth/assessment/browser-visits';
import { assess, type Finding } from '@/lib/oauth/assessment/run';
import type { AssessmentTarget, WantedVisit } from '@/lib/oauth/assessment/target';
import type { Control } from '@/lib/oauth/controls/control';
import { NOTHING_JUDGED, summarize } from '@/lib/oauth/report/summary';
import type { Context } from '@/lib/operation/context';

/** An assessment that has been started. */
export interface StartedAssessment {
  id: string;
  /** False if the report is only streamed and not stored. */
  keep: boolean;
  target: AssessmentTarget;
  controls: readonly Control[];
  emit: (event: AssessmentLine) => void;
  /** Aborted when the reader disconnects, or when the assessment is removed. */
  stop: AbortController;
}

/** Attempts to write the end of an assessment, and the pause between them. */
const WRITE_ATTEMPTS = 4;
const WRITE_AGAIN_MS = 500;

/**
 * Runs an assessment, reports to its reader, and stores its findings. A stopped one keeps the findings so far.
 * The event `finished` is sent only after the report is stored.
 */
export async function runAssessment(context: Context, started: StartedAssessment): Promise<void> {
  const { services } = context;
  const { id, keep, emit, stop } = started;
  const { signal } = stop;
  const startedAt = services.clock();
  const progress: Progress = { preflight: [], findings: [], summary: NOTHING_JUDGED, durationMs: 0 };
  const measure = () => {
    progress.durationMs = services.clock() - startedAt;
    progress.summary = { ...summarize(progress.findings), grade: null };
  };
  const heart = keep
    ? setInterval(() => {
        measure();
        renewLease(services.database, id, { ...progress }, services.clock()).then(
          (isThere) => isThere || stop.abort(),
          (fault: unknown) =>
            services.logger.warn({ err: fault, assessment: id }, 'an assessment could not be written'),
        );
      }, BEAT)
    : undefined;
  try {
    await measureTarget(context, started, progress);
    measure();
    if (!signal.aborted) progress.summary = summarize(progress.findings);
  } finally {
    clearInterval(heart);
  }
  const state = signal.aborted ? 'stopped' : 'finished';
  if (keep) await persist(() => writeEnd(services.database, id, { ...progress, state }, services.clock()));
  if (state === 'stopped') {
    // A disconnected reader does not receive this event.
    emit({ type: 'stopped', id, error: 'not_found', error_description: 'The assessment was removed.' });
    return;
  }
  emit({ type: 'finished', id, summary: progress.summary, duration_ms: Math.round(progress.durationMs) });
}

/**
 * Tests each control of the order. `progress` grows during the run.
 * At the end, findings that were redacted again replace the earlier ones.
 */
async function measureTarget(
  { services }: Context,
  { id, target, controls, emit, stop: { signal } }: StartedAssessment,
  progress: Progress,
): Promise<void> {
  const visits = new BrowserVisits();
  const visit = createVisitor({
    ...{ services, assessment: id, signal },
    ask: (url, purpose) => emit({ type: 'authorization_needed', url, purpose }),
  });
  // An address that belongs to another request is refused, and the reader is asked again.
  const sendBrowser = async (wanted: WantedVisit): Promise<void> => {
    try {
      let back = await visit(wanted);
      while (!visits.answer(back) && back !== null) back = await visit(wanted);
    } catch (fault) {
      services.logger.warn({ err: fault, assessment: id }, 'a visit of an assessment could not be kept');
      visits.answer(null);
    }
  };
  const events = assess(target, {
    clock: services.clock,
    random: services.randomBytes,
    sleep: (milliseconds) => sleep(milliseconds, undefined, { signal }),
    signal,
    visits,
    controls,
  });
  // Findings after an abort are dropped, because their requests were cut off.
  const judged = new Set<string>();
  for await (const event of events) {
    if (event.type === 'started') emit({ type: 'started', id, total: event.total, requests: event.requests });
    else if (event.type === 'preflight') {
      progress.preflight = event.checks;
      emit({ type: 'preflight', checks: [...event.checks] });
    } else if (event.type === 'authorization_needed') void sendBrowser(event);
    else if (event.type === 'found') {
      if (signal.aborted) continue;
      const finding = convertFinding(event.finding);
      judged.add(finding.control);
      progress.findings = [...progress.findings, finding];
      emit({ type: 'finding', ...finding, done: event.done, total: event.total });
    } else progress.findings = event.findings.map(convertFinding).filter(({ control }) => judged.has(control));
  }
}

function convertFinding({ control, verdict, exchanges }: Finding): Progress['findings'][number] {
  const { kind, reason, severity } = verdict;
  return { control, verdict: kind, ...(severity && { severity }), reason, exchanges: [...exchanges] };
}

/** Retries a write, so that a database that is briefly busy does not cost a report. */
async function persist(write: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (fault) {
      if (attempt === WRITE_ATTEMPTS) {
        const { code } = convertFault(fault);
        throw new ApiError(code, 'The assessment finished, but its report could not be stored.', {
          cause: fault,
        });
      }
      await sleep(WRITE_AGAIN_MS);
    }
  }
}
