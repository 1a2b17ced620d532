import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import {
  decisionCondition,
  decisionsAfter,
  newestDecisionId,
  type ResolvedFilters,
  resolvedFilters,
  toLoggedDecisions,
} from '@/lib/admin/decisions/decision-log';
import { storedList } from '@/lib/admin/stored-list';
import {
  listDecisions as contract,
  type DecisionFilters,
  DecisionSchema,
  type LoggedDecision,
} from '@/lib/contract/decisions';
import type { QueryOf } from '@/lib/contract/operation';
import { invalidField } from '@/lib/http/input';
import { eventStream } from '@/lib/http/stream';
import type { Context } from '@/lib/operation/context';
import { createColumns, mediaTypesIn } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';
import { streamDecisions } from '@/lib/statistics/live-decisions';

const listed = storedList<QueryOf<typeof contract> & ResolvedFilters, typeof decisions.$inferSelect, LoggedDecision>({
  query: (drizzle) => drizzle.select().from(decisions),
  present: (rows, { services }) => toLoggedDecisions(services.database, rows),
  download: { name: 'decisions', columns: createColumns(...DecisionSchema.omit({ id: true }).keyof().options) },
  id: { sql: sql`${decisions.id}`, of: (decision) => decision.id },
  order: '-id',
  where: decisionCondition,
});

/** Lists the newest refusals, bypasses and degraded decisions, as a list, a download or a live stream. */
export const listDecisions = implement(contract, async (context, input) => {
  const { format } = input.query;
  const offered: readonly string[] = [...contract.response.mediaTypes, 'application/x-ndjson'];
  const wanted = mediaTypesIn(context.facts.headers.get('accept')).find((type) => offered.includes(type));
  const live = format === undefined && wanted === 'text/event-stream';
  if (live) return stream(context, input.query);
  return listed(context, { ...input, query: await resolvedFilters(context.services.database, input.query) });
});

async function stream({ services, facts }: Context, filters: DecisionFilters): Promise<Response> {
  const lastEventId = facts.headers.get('last-event-id');
  if (lastEventId !== null && !/^(?:0|[1-9]\d{0,14})$/.test(lastEventId))
    throw invalidField('Last-Event-ID', 'is not an id of this stream');
  const { database } = services;
  decisionCondition(filters);
  const stop = new AbortController();
  facts.signal.addEventListener('abort', () => stop.abort(), { once: true });
  const events = streamDecisions({
    after: lastEventId === null ? await newestDecisionId(database) : Number(lastEventId),
    read: async (after, limit) =>
      decisionsAfter(database, decisionCondition(await resolvedFilters(database, filters)), after, limit),
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined),
    // The stream of a revoked token or a removed member ends.
    mayGoOn: facts.isStillAllowed,
    isOver: services.isStopping,
    signal: stop.signal,
  });
  return eventStream(events, stop);
}
