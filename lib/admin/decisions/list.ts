import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { decisions } from '@/drizzle/schema';
import { listDecisions as contract, type DecisionFilters, type LoggedDecision } from '@/lib/contract/decisions';
import type { QueryOf } from '@/lib/contract/operation';
import { invalidField } from '@/lib/http/input';
import { eventStream } from '@/lib/http/stream';
import type { Context } from '@/lib/operation/context';
import { columnsOf, list, mediaTypesIn } from '@/lib/operation/list';
import { implement } from '@/lib/operation/operation';
import { decisionCondition, decisionsAfter, newestDecisionId, toLoggedDecision } from '@/lib/statistics/decision-log';
import { liveDecisions } from '@/lib/statistics/live-decisions';

const listed = list<QueryOf<typeof contract>, LoggedDecision>({
  read: async ({ services }, { where, orderBy, limit }) => {
    const rows = services.database.drizzle.select().from(decisions).where(where);
    return (await rows.orderBy(...orderBy).limit(limit)).map(toLoggedDecision);
  },
  download: {
    name: 'decisions',
    columns: columnsOf(
      'at',
      'outcome',
      'class',
      'reason',
      'subject',
      'identifier',
      'method',
      'path',
      'ip',
      'user_id',
      'api_key_id',
      'request_id',
    ),
  },
  id: { sql: sql`${decisions.id}`, of: (decision) => decision.id },
  order: '-id',
  where: decisionCondition,
});

/** The newest refusals, bypasses and degraded decisions: as a list, as a download, or live. */
export const listDecisions = implement(contract, (context, input) => {
  const { format } = input.query;
  const live = format === undefined && firstKnown(context.facts.accept) === 'text/event-stream';
  return live ? stream(context, input.query) : listed(context, input);
});

function firstKnown(accept: string | null): string | undefined {
  const known: readonly string[] = [...contract.response.mediaTypes, 'application/x-ndjson'];
  return mediaTypesIn(accept).find((type) => known.includes(type));
}

async function stream({ services, facts }: Context, filters: DecisionFilters): Promise<Response> {
  const { lastEventId } = facts;
  if (lastEventId !== null && !/^\d{1,15}$/.test(lastEventId))
    throw invalidField('Last-Event-ID', 'is not an id of this stream');
  const condition = decisionCondition(filters);
  const stop = new AbortController();
  facts.signal.addEventListener('abort', () => stop.abort(), { once: true });
  const events = liveDecisions({
    after: lastEventId === null ? await newestDecisionId(services.database) : Number(lastEventId),
    read: (after, limit) => decisionsAfter(services.database, condition, after, limit),
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined),
    // A revoked token, or a removed member, stops listening.
    mayGoOn: facts.stillAllowed,
    isOver: services.isStopping,
    signal: stop.signal,
  });
  return eventStream(events, stop);
}
