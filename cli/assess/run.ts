import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KeptFindings } from '@/lib/contract/assessment-events';
import type { StoredAssessment } from '@/lib/contract/assessment-report';
import { BrowserVisits, explainWrongCallback } from '@/lib/oauth/assessment/browser-visits';
import type { PreflightCheck } from '@/lib/oauth/assessment/preflight';
import { assess, type Finding } from '@/lib/oauth/assessment/run';
import type { AssessmentTarget, WantedVisit } from '@/lib/oauth/assessment/target';
import { summarize } from '@/lib/oauth/report/summary';

/** Receives the progress of an assessment. */
export interface Watcher {
  reportStart(controls: number, requests: number): void;
  reportChecks(checks: readonly PreflightCheck[]): void;
  reportFinding(finding: KeptFindings[number], done: number, total: number): void;
  /** The address that the browser came back to is not a valid answer. */
  reportRefusedAnswer(why: string): void;
}

export interface LocalAssessment {
  target: AssessmentTarget;
  /** Metadata of the report. */
  about: Pick<StoredAssessment, 'name' | 'kind' | 'target' | 'started_by' | 'build'>;
  /** Opens the server in a person's browser. Absent if there is no sign-in. */
  visit?: (wanted: WantedVisit) => Promise<string | null>;
  watcher: Watcher;
  /** Stops the assessment. Findings so far are kept. */
  signal: AbortSignal;
}

/** Result of an assessment, from which the report is made. */
export interface AssessedHere {
  assessment: StoredAssessment;
  preflight: PreflightCheck[];
  findings: KeptFindings;
}

/** Maximum number of wrong addresses that one visit may come back with. */
const WRONG_ANSWERS = 3;

/** Runs the catalogue against a target from this machine. Nothing is stored. */
export async function assessHere({ target, about, visit, watcher, signal }: LocalAssessment): Promise<AssessedHere> {
  const startedAt = new Date();
  const from = performance.now();
  const visits = new BrowserVisits();
  let preflight: PreflightCheck[] = [];
  let findings: KeptFindings = [];
  const judged = new Set<string>();
  const events = assess(target, {
    clock: () => performance.now(),
    random: (length) => randomBytes(length),
    sleep: (milliseconds) => sleep(milliseconds, undefined, { signal }),
    signal,
    ...(visit === undefined ? {} : { visits }),
  });
  const sendBrowser = async (wanted: WantedVisit): Promise<void> => {
    for (let wrong = 0; wrong < WRONG_ANSWERS; wrong += 1) {
      const back = (await visit?.(wanted).catch(() => null)) ?? null;
      if (visits.answer(back) || back === null) return;
      watcher.reportRefusedAnswer(explainWrongCallback(wanted, back) ?? 'It was the answer to an earlier request.');
    }
    visits.answer(null);
  };
  for await (const event of events) {
    if (event.type === 'started') watcher.reportStart(event.total, event.requests);
    else if (event.type === 'preflight') {
      const before = new Set(preflight.map(({ text }) => text));
      preflight = [...event.checks];
      watcher.reportChecks(preflight.filter(({ text }) => !before.has(text)));
    } else if (event.type === 'authorization_needed') void sendBrowser(event);
    else if (event.type === 'found') {
      // Findings after the stop rest on interrupted requests, so they are dropped.
      if (signal.aborted) continue;
      const finding = keepFinding(event.finding);
      judged.add(finding.control);
      findings = [...findings, finding];
      watcher.reportFinding(finding, event.done, event.total);
    } else findings = event.findings.map(keepFinding).filter(({ control }) => judged.has(control));
  }
  const summary = summarize(findings);
  return {
    assessment: {
      ...about,
      id: randomUUID(),
      state: signal.aborted ? 'stopped' : 'finished',
      started_at: startedAt.toISOString(),
      duration_ms: Math.round(performance.now() - from),
      summary: signal.aborted ? { ...summary, grade: null } : summary,
    },
    preflight,
    findings,
  };
}

function keepFinding({ control, verdict, exchanges }: Finding): KeptFindings[number] {
  const { kind, reason, severity } = verdict;
  return { control, verdict: kind, ...(severity && { severity }), reason, exchanges: [...exchanges] };
}
