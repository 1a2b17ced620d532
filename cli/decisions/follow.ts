import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandContext } from '@/cli/context';
import { formatDecision } from '@/cli/decisions/decision-line';
import { parseServerEvents } from '@/cli/decisions/server-events';
import { createUnreachableFailure, createUsageFailure, EXIT, Failure } from '@/cli/failure';
import type { LoggedDecision } from '@/lib/contract/decisions';
import type { Millis } from '@/lib/units';

type Filters = Readonly<Record<string, string | undefined>>;

/** A connection without data for this long is dead. The server sends data every 15 seconds. */
const SILENCE: Millis = 45_000;
const FIRST_PAUSE: Millis = 1_000;
const LONGEST_PAUSE: Millis = 30_000;

/**
 * Prints decisions as they happen, forever. After the first connection it reconnects without limit, and continues after
 * the last printed decision.
 * @throws Failure if the first connection fails, or if the server refuses
 */
export async function followDecisions(
  context: CommandContext,
  filters: Filters,
  last: string | undefined,
): Promise<never> {
  const { output } = context;
  const print = (decision: LoggedDecision) =>
    output.printLine(output.json ? JSON.stringify(decision) : formatDecision(decision, output.paint));
  let lastId = last === undefined ? undefined : await printEarlier(context, filters, last, print);
  let wasConnected = false;
  let pause = FIRST_PAUSE;
  for (;;) {
    try {
      for await (const { id, data } of streamEventsAfter(context, filters, lastId)) {
        wasConnected = true;
        pause = FIRST_PAUSE;
        if (id !== '') lastId = id;
        if (data !== null) await print(data);
      }
    } catch (fault) {
      if (fault instanceof Failure && (fault.exitCode !== EXIT.unreachable || !wasConnected)) throw fault;
    }
    if (!wasConnected) throw createUnreachableFailure('The stream ended before it began.');
    output.note(`The connection is lost: trying again in ${pause / 1000} s.`);
    await sleep(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE);
  }
}

/** Yields the events of one connection. The first has null as `data`. */
async function* streamEventsAfter(context: CommandContext, filters: Filters, lastId: string | undefined) {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), SILENCE);
  try {
    const headers = { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
    const { body } = await context.stream('listDecisions', { query: filters, headers, signal: silent.signal });
    yield { id: lastId ?? '', data: null };
    for await (const { id, event, data } of parseServerEvents(body, () => timer.refresh()))
      if (event === 'decision') yield { id, data: JSON.parse(data) as LoggedDecision };
  } finally {
    clearTimeout(timer);
    silent.abort();
  }
}

/** Id before the first possible decision. */
const BEGINNING = '0';

/** Prints the last decisions, oldest first. Returns the newest id, after which the stream continues. */
async function printEarlier(
  context: CommandContext,
  filters: Filters,
  last: string,
  print: (decision: LoggedDecision) => Promise<void>,
): Promise<string> {
  if (!/^[1-9]\d{0,3}$/.test(last) || Number(last) > 1_000)
    throw createUsageFailure('--last must be a whole number from 1 to 1000.');
  const { body } = await context.request('listDecisions', { query: { ...filters, limit: last } });
  const [newest, ...older] = body as LoggedDecision[];
  // Starting at the beginning includes decisions written before the stream opens.
  if (newest === undefined) return BEGINNING;
  for (const decision of [newest, ...older].reverse()) await print(decision);
  return String(newest.id);
}
