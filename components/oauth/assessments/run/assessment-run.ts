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
  /** Issuer, resource or endpoint: what was asked for. */
  target: string;
  state: 'running' | 'finished' | 'stopped';
  /** Null until it has started. */
  id: string | null;
  total: number;
  checks: EventOf<'preflight'>['checks'] | null;
  findings: readonly Pick<EventOf<'finding'>, 'control' | 'verdict' | 'reason'>[];
  /** The authorization that a person is wanted for. */
  wanted: { url: string; purpose: string; again: boolean } | null;
  /** Where the window is in which the person signs in: at the other server, or back here. */
  window: 'none' | 'away' | 'back' | 'closed';
  /** How many authorizations were answered. */
  answered: number;
  /** The authorization request that was answered last. */
  answeredUrl: string | null;
  /** Why it could not start or go on. */
  fault: unknown;
}

// One for the page, so that going to another screen of the console does not stop it.
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

/** The assessment that this page runs or ran last; null without one. */
export function useAssessmentRun(): AssessmentRun | null {
  return useSyncExternalStore(
    subscribe,
    () => current,
    () => null,
  );
}

/** Runs an assessment to its end. What goes wrong is its `fault`. */
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
  channel = openConsoleChannel(hear);
  window.addEventListener('beforeunload', askToStay);
  try {
    for await (const event of streamAssessment(body, controller.signal)) take(event);
    update({ state: 'finished', wanted: null });
  } catch (fault) {
    if (stop === controller)
      update({ state: 'stopped', wanted: null, fault: controller.signal.aborted ? null : fault });
  } finally {
    if (stop === controller) {
      tellWindow(over);
      window.removeEventListener('beforeunload', askToStay);
    }
  }
}

/** Stops the assessment; what was found until then is kept. */
export function stopAssessment(): void {
  stop?.abort();
}

/** Forgets the assessment that has ended. */
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

function take(event: AssessmentLine): void {
  if (current === null) return;
  if (event.type === 'started') update({ id: event.id, total: event.total });
  else if (event.type === 'preflight') update({ checks: event.checks });
  else if (event.type === 'finding') {
    const { control, verdict, reason, total } = event;
    update({ total, findings: [...current.findings, { control, verdict, reason }] });
  } else if (event.type === 'authorization_needed') {
    const { url, purpose } = event;
    // Asked for twice: what was handed in answers another request.
    update({ wanted: { url, purpose, again: url === current.answeredUrl } });
    if (current.window === 'back') tellWindow(goTo(url));
  }
}

function tellWindow(message: (assessment: string) => FromConsole): void {
  if (current?.id) channel?.post(message(current.id));
}
const over = (assessment: string): FromConsole => ({ type: 'over', assessment });
const wait = (assessment: string): FromConsole => ({ type: 'wait', assessment });
const goTo =
  (url: string) =>
  (assessment: string): FromConsole => ({ type: 'go', assessment, url });

/** What the window says, and what it is to do then. */
function hear(message: FromWindow): void {
  if (current === null || message.assessment !== current.id) return;
  if (current.state !== 'running') tellWindow(over);
  else if (message.type === 'leaving') update({ window: 'away' });
  else if (message.type === 'closed') update({ window: 'closed' });
  else if (message.type === 'ready') {
    update({ window: 'back' });
    tellWindow(current.wanted === null ? wait : goTo(current.wanted.url));
  } else {
    update({ window: 'back' });
    tellWindow(wait);
    if (current.wanted !== null) void answer(message.url);
  }
}

/** Hands in where the browser came back to; null when it did not. What is refused is asked for again. */
export async function answer(url: string | null): Promise<void> {
  if (current === null || current.id === null || current.wanted === null) return;
  const { id, wanted, answered } = current;
  // A window that did not come back by itself may be anywhere.
  const where = current.window === 'away' ? 'none' : current.window;
  update({ wanted: null, window: where, answered: answered + 1, answeredUrl: wanted.url, fault: null });
  try {
    await call(answerAuthorization, { params: { id }, body: { url } });
  } catch (fault) {
    const isWrong = fault instanceof CallError && fault.status === 400;
    // Nothing is waited for any more: what is wanted next is on its way.
    if (fault instanceof CallError && fault.status === 409) return;
    if (current.wanted !== null) return;
    // Once the window tries again by itself; then a person has to look.
    const tries = where === 'back' && isWrong && !wanted.again;
    update({
      wanted: { ...wanted, again: isWrong },
      window: tries ? 'back' : 'none',
      answered,
      fault: isWrong ? null : fault,
    });
    if (tries) tellWindow(goTo(wanted.url));
  }
}
