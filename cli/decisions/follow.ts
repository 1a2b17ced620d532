import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandContext } from '@/cli/context';
import { decisionLine } from '@/cli/decisions/decision-line';
import { serverEvents } from '@/cli/decisions/server-events';
import { EXIT, Failure, unreachable, wrongUsage } from '@/cli/failure';
import type { LoggedDecision } from '@/lib/contract/decisions';
import type { Millis } from '@/lib/units';

type Filters = Readonly<Record<string, string | undefined>>;

/** The server sends something every 15 seconds; a connection that is silent for longer is dead. */
const SILENCE: Millis = 45_000;
const FIRST_PAUSE: Millis = 1_000;
const LONGEST_PAUSE: Millis = 30_000;

/**
 * Prints decisions as they happen, for ever. Once it was connected, it connects again however long that takes, and goes
 * on after the last decision it has printed.
 * @throws Failure when the first connection fails, and when the server refuses
 */
export async function followDecisions(
  context: CommandContext,
  filters: Filters,
  last: string | undefined,
): Promise<never> {
  const { output } = context;
  const print = (decision: LoggedDecision) =>
    output.line(output.json ? JSON.stringify(decision) : decisionLine(decision, output.paint));
  let lastId = last === undefined ? undefined : await printEarlier(context, filters, last, print);
  let wasConnected = false;
  let pause = FIRST_PAUSE;
  for (;;) {
    try {
      for await (const { id, data } of eventsAfter(context, filters, lastId)) {
        wasConnected = true;
        pause = FIRST_PAUSE;
        if (id !== '') lastId = id;
        if (data !== null) await print(data);
      }
    } catch (fault) {
      if (fault instanceof Failure && (fault.exitCode !== EXIT.unreachable || !wasConnected)) throw fault;
    }
    if (!wasConnected) throw unreachable('The stream ended before it began.');
    output.note(`The connection is lost: trying again in ${pause / 1000} s.`);
    await sleep(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** What comes over one connection. `data` is null when it begins. */
async function* eventsAfter(context: CommandContext, filters: Filters, lastId: string | undefined) {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), SILENCE);
  try {
    const headers = { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
    const { body } = await context.stream('listDecisions', { query: filters, headers, signal: silent.signal });
    yield { id: lastId ?? '', data: null };
    for await (const { id, event, data } of serverEvents(body, () => timer.refresh()))
      if (event === 'decision') yield { id, data: JSON.parse(data) as LoggedDecision };
  } finally {
    clearTimeout(timer);
    silent.abort();
  }
}

/** Before the first decision there can be. */
const BEGINNING = '0';

/** Prints the newest so many, the oldest first; answers the id of the newest, which the stream goes on after. */
async function printEarlier(
  context: CommandContext,
  filters: Filters,
  last: string,
  print: (decision: LoggedDecision) => Promise<void>,
): Promise<string> {
  if (!/^[1-9]\d{0,3}$/.test(last) || Number(last) > 1_000)
    throw wrongUsage('--last must be a whole number from 1 to 1000.');
  const { body } = await context.request('listDecisions', { query: { ...filters, limit: last } });
  const [newest, ...older] = body as LoggedDecision[];
  // What is written before the stream begins is not to be missed.
  if (newest === undefined) return BEGINNING;
  for (const decision of [newest, ...older].reverse()) await print(decision);
  return String(newest.id);
}
