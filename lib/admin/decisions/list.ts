import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import {
  buildDecisionCondition,
  buildLoggedDecisions,
  type ResolvedFilters,
  readDecisionsAfter,
  readNewestDecisionId,
  resolveFilters,
} from '@/lib/admin/decisions/decision-log';
import { createStoredList } from '@/lib/admin/stored-list';
import {
  listDecisions as contract,
  type DecisionFilters,
  DecisionSchema,
  type LoggedDecision,
} from '@/lib/contract/decisions';
import type { QueryOf } from '@/lib/contract/operation';
import { ApiError } from '@/lib/http/api-error';
import { createInvalidField } from '@/lib/http/input';
import { type ServerEvent, streamEvents } from '@/lib/http/stream';
import type { Context } from '@/lib/operation/context';
import { createColumns, parseMediaTypes } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';
import { streamDecisions } from '@/lib/statistics/live-decisions';
import type { Seconds } from '@/lib/units';

const listed = createStoredList<
  QueryOf<typeof contract> & ResolvedFilters,
  typeof decisions.$inferSelect,
  LoggedDecision
>({
  query: (drizzle) => drizzle.select().from(decisions),
  present: (rows, { services }) => buildLoggedDecisions(services.database, rows),
  download: { name: 'decisions', columns: createColumns(...DecisionSchema.omit({ id: true }).keyof().options) },
  id: { sql: sql`${decisions.id}`, of: (decision) => decision.id },
  order: '-id',
  where: buildDecisionCondition,
});

/** Lists the newest refusals, bypasses and degraded decisions, as a list, a download or a live stream. */
export const listDecisions = implement(contract, async (context, input) => {
  const { format } = input.query;
  const offered: readonly string[] = [...contract.response.mediaTypes, 'application/x-ndjson'];
  const wanted = parseMediaTypes(context.facts.headers.get('accept')).find((type) => offered.includes(type));
  const live = format === undefined && wanted === 'text/event-stream';
  if (live) return streamFilteredDecisions(context, input.query);
  return listed(context, { ...input, query: await resolveFilters(context.services.database, input.query) });
});

/** Most live streams of one caller. Each polls the database every second. */
const MOST_STREAMS = 20;
/** When a refused caller asks again: a stream that lost its connection is noticed by then. */
const RETRY_AFTER: Seconds = 15;

/** Open streams, by caller. */
const openStreams = new Map<string, number>();

/**
 * Counts a stream of a caller.
 * @returns a function that must be called when the stream has ended; only its first call counts
 * @throws ApiError rate_limit_exceeded
 */
function countStream(caller: string): () => void {
  const others = openStreams.get(caller) ?? 0;
  if (others >= MOST_STREAMS)
    throw new ApiError('rate_limit_exceeded', `You have ${MOST_STREAMS} live streams open, which is the maximum.`, {
      headers: { 'Retry-After': String(RETRY_AFTER) },
    });
  openStreams.set(caller, others + 1);
  let hasEnded = false;
  return () => {
    if (hasEnded) return;
    hasEnded = true;
    const left = (openStreams.get(caller) ?? 1) - 1;
    if (left === 0) openStreams.delete(caller);
    else openStreams.set(caller, left);
  };
}

async function streamFilteredDecisions(
  { actor, services, facts }: Context,
  filters: DecisionFilters,
): Promise<Response> {
  const lastEventId = facts.headers.get('last-event-id');
  if (lastEventId !== null && !/^(?:0|[1-9]\d{0,14})$/.test(lastEventId))
    throw createInvalidField('Last-Event-ID', 'is not an id of this stream');
  const { database } = services;
  buildDecisionCondition(filters);
  const after = lastEventId === null ? await readNewestDecisionId(database) : Number(lastEventId);
  const stop = new AbortController();
  const end = countStream(actor.id);
  stop.signal.addEventListener('abort', end, { once: true });
  facts.signal.addEventListener('abort', () => stop.abort(), { once: true });
  if (facts.signal.aborted) stop.abort();
  const events = streamDecisions({
    after,
    read: async (after, limit) =>
      readDecisionsAfter(database, buildDecisionCondition(await resolveFilters(database, filters)), after, limit),
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined),
    // The stream of a revoked token or a removed member ends.
    mayGoOn: facts.isStillAllowed,
    isOver: services.isStopping,
    signal: stop.signal,
  });
  return streamEvents(endWith(events, end), stop);
}

/** Yields all events, then calls `end`. */
async function* endWith(events: AsyncIterable<ServerEvent>, end: () => void): AsyncGenerator<ServerEvent> {
  try {
    yield* events;
  } finally {
    end();
  }
}
