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
import { createInvalidField } from '@/lib/http/input';
import { streamEvents } from '@/lib/http/stream';
import type { Context } from '@/lib/operation/context';
import { createColumns, parseMediaTypes } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';
import { streamDecisions } from '@/lib/statistics/live-decisions';

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

async function streamFilteredDecisions({ services, facts }: Context, filters: DecisionFilters): Promise<Response> {
  const lastEventId = facts.headers.get('last-event-id');
  if (lastEventId !== null && !/^(?:0|[1-9]\d{0,14})$/.test(lastEventId))
    throw createInvalidField('Last-Event-ID', 'is not an id of this stream');
  const { database } = services;
  buildDecisionCondition(filters);
  const stop = new AbortController();
  facts.signal.addEventListener('abort', () => stop.abort(), { once: true });
  const events = streamDecisions({
    after: lastEventId === null ? await readNewestDecisionId(database) : Number(lastEventId),
    read: async (after, limit) =>
      readDecisionsAfter(database, buildDecisionCondition(await resolveFilters(database, filters)), after, limit),
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined),
    // The stream of a revoked token or a removed member ends.
    mayGoOn: facts.isStillAllowed,
    isOver: services.isStopping,
    signal: stop.signal,
  });
  return streamEvents(events, stop);
}
