import { useSyncExternalStore } from 'react';
import { CallError, call } from '@/components/api/call';
import { type NewAssessment, streamAssessment } from '@/components/oauth/assessments/run/assessment-stream';
import {
  type FromConsole,
  type FromWindow,
  openConsoleChannel,
  type SignInChannel,
} from '@/components/oauth/callback/sign-in-channel';
import type { AssessmentLine } from '@/lib/contract/assessment-events';
import { answerAuthorization } from '@/lib/contract/assessments';

type EventOf<Type extends AssessmentLine['type']> = Extract<AssessmentLine, { type: Type }>;

/** The assessment that this page runs. */
export interface AssessmentRun {
  name: string;
  /** Requested target: issuer, resource or endpoint. */
  target: string;
  state: 'running' | 'finished' | 'stopped';
  /** Id of the assessment. Null before the start. */
  id: string | null;
  total: number;
  checks: EventOf<'preflight'>['checks'] | null;
  findings: readonly Pick<EventOf<'finding'>, 'control' | 'verdict' | 'reason'>[];
  /** The authorization that a person must complete. */
  wanted: { url: string; purpose: string; again: boolean } | null;
  /** State of the sign-in window: at the other server, back on this origin, or closed. */
  window: 'none' | 'away' | 'back' | 'closed';
  /** Number of answered authorizations. */
  answered: number;
  /** The authorization request that was answered last. */
  answeredUrl: string | null;
  /** Error that prevented the assessment from starting or continuing. */
  fault: unknown;
}

// The state is global, so that it survives navigation inside the console.
let current: AssessmentRun | null = null;
let stop: AbortController | null = null;
let channel: SignInChannel<FromConsole> | null = null;
const listeners = new Set<() => void>();

function update(change: Partial<AssessmentRun>): void {
  if (current === null) return;
  current = { ...current, ...change };
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the assessment that this page runs or ran last. Null if there is none. */
export function useAssessmentRun(): AssessmentRun | null {
  return useSyncExternalStore(
    subscribe,
    () => current,
    () => null,
  );
}

/** Runs an assessment until it ends. Errors are stored in `fault`. */
export async function runAssessment(order: { name: string; target: string; body: NewAssessment }): Promise<void> {
  stopAssessment();
  const { name, target, body } = order;
  const controller = new AbortController();
  stop = controller;
  current = {
    ...{ name, target, state: 'running', id: null, total: 0, checks: null, findings: [] },
    ...{ wanted: null, window: 'none', answered: 0, answeredUrl: null, fault: null },
  };
  update({});
  channel = openConsoleChannel(handleMessage);
  window.addEventListener('beforeunload', askToStay);
  try {
    for await (const event of streamAssessment(body, controller.signal)) handleEvent(event);
    update({ state: 'finished', wanted: null });
  } catch (fault) {
    if (stop === controller)
      update({ state: 'stopped', wanted: null, fault: controller.signal.aborted ? null : fault });
  } finally {
    if (stop === controller) {
      notifyWindow(createOverMessage);
      window.removeEventListener('beforeunload', askToStay);
    }
  }
}

/** Stops the assessment. Findings so far are kept. */
export function stopAssessment(): void {
  stop?.abort();
}

/** Clears the state of an ended assessment. */
export function forgetAssessment(): void {
  stopAssessment();
  channel?.close();
  channel = null;
  current = null;
  for (const listener of listeners) listener();
}

function askToStay(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function handleEvent(event: AssessmentLine): void {
  if (current === null) return;
  if (event.type === 'started') update({ id: event.id, total: event.total });
  else if (event.type === 'preflight') update({ checks: event.checks });
  else if (event.type === 'finding') {
    const { control, verdict, reason, total } = event;
    update({ total, findings: [...current.findings, { control, verdict, reason }] });
  } else if (event.type === 'authorization_needed') {
    const { url, purpose } = event;
    // A repeated URL means that the last answer belonged to another request.
    update({ wanted: { url, purpose, again: url === current.answeredUrl } });
    if (current.window === 'back') notifyWindow(createGoMessage(url));
  }
}

function notifyWindow(message: (assessment: string) => FromConsole): void {
  if (current?.id) channel?.post(message(current.id));
}
const createOverMessage = (assessment: string): FromConsole => ({ type: 'over', assessment });
const createWaitMessage = (assessment: string): FromConsole => ({ type: 'wait', assessment });
const createGoMessage =
  (url: string) =>
  (assessment: string): FromConsole => ({ type: 'go', assessment, url });

/** Handles a message from the window and replies with its next step. */
function handleMessage(message: FromWindow): void {
  if (current === null || message.assessment !== current.id) return;
  if (current.state !== 'running') notifyWindow(createOverMessage);
  else if (message.type === 'leaving') update({ window: 'away' });
  else if (message.type === 'closed') update({ window: 'closed' });
  else if (message.type === 'ready') {
    update({ window: 'back' });
    notifyWindow(current.wanted === null ? createWaitMessage : createGoMessage(current.wanted.url));
  } else {
    update({ window: 'back' });
    notifyWindow(createWaitMessage);
    if (current.wanted !== null) void answer(message.url);
  }
}

/** Submits the URL that the browser came back to, or null if it did not. A refused answer is requested again. */
export async function answer(url: string | null): Promise<void> {
  if (current === null || current.id === null || current.wanted === null) return;
  const { id, wanted, answered } = current;
  // A window that has not come back may be on any page.
  const where = current.window === 'away' ? 'none' : current.window;
  update({ wanted: null, window: where, answered: answered + 1, answeredUrl: wanted.url, fault: null });
  try {
    await call(answerAuthorization, { params: { id }, body: { url } });
  } catch (fault) {
    const isWrong = fault instanceof CallError && fault.status === 400;
    // Conflict: the server no longer waits for an answer, and its next request will follow.
    if (fault instanceof CallError && fault.status === 409) return;
    if (current.wanted !== null) return;
    // The window retries once automatically. After that a person has to check.
    const tries = where === 'back' && isWrong && !wanted.again;
    update({
      wanted: { ...wanted, again: isWrong },
      window: tries ? 'back' : 'none',
      answered,
      fault: isWrong ? null : fault,
    });
    if (tries) notifyWindow(createGoMessage(wanted.url));
  }
}
