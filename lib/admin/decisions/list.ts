import { setTimeout as sleep } from 'node:timers/promises';
import type { SQL } from 'drizzle-orm';
import { z } from 'zod';
import { chunksOf } from '@/lib/admin/chunks-of';
import { authorize } from '@/lib/auth/authorize';
import { listDecisions as contract, type LoggedDecision } from '@/lib/contract/decisions';
import { eventStream } from '@/lib/http/event-stream';
import { type Column, exportResponse, listFormat } from '@/lib/http/export-response';
import { invalidField } from '@/lib/http/invalid-field';
import { decodeCursor, pageOf } from '@/lib/http/pagination';
import { type Context, implement, Reply } from '@/lib/operation/operation';
import { isShuttingDown } from '@/lib/process/shutdown-state';
import { decisionCondition, decisionsAfter, newestDecisionId, newestDecisions } from '@/lib/statistics/decision-log';
import { liveDecisions } from '@/lib/statistics/live-decisions';

const Position = z.int().min(1);
const DEFAULT_LIMIT = 100;

const COLUMNS: readonly Column<LoggedDecision>[] = [
  ['at', (one) => one.at],
  ['outcome', (one) => one.outcome],
  ['class', (one) => one.class],
  ['reason', (one) => one.reason],
  ['subject', (one) => one.subject],
  ['identifier', (one) => one.identifier],
  ['method', (one) => one.method],
  ['path', (one) => one.path],
  ['ip', (one) => one.ip],
  ['user_id', (one) => one.user_id],
  ['api_key_id', (one) => one.api_key_id],
  ['request_id', (one) => one.request_id],
];

/** The newest refusals, bypasses and degraded decisions: as a list, as a download, or live. */
export const listDecisions = implement(contract, async (context, { query }) => {
  const { database } = context.services;
  const condition = decisionCondition(query);
  const format = listFormat(context.request, query.format);
  if (format === 'event-stream') return live(context, condition);
  if (format !== 'json') {
    const pages = chunksOf(
      (last: LoggedDecision | undefined, limit) => newestDecisions(database, condition, last?.id, limit),
      (decisions) => decisions,
    );
    return exportResponse(context, format, 'decisions', COLUMNS, pages);
  }
  const limit = query.limit ?? DEFAULT_LIMIT;
  const before = query.cursor === undefined ? undefined : decodeCursor(Position, query.cursor);
  const rows = await newestDecisions(database, condition, before, limit + 1);
  const { items, headers } = pageOf(rows, limit, context.request.url, (last) => last.id);
  return new Reply(items, { headers });
});

async function live(context: Context, condition: SQL | undefined): Promise<Response> {
  const { services, request, address } = context;
  const given = request.headers.get('last-event-id');
  if (given !== null && !/^\d{1,15}$/.test(given)) throw invalidField('Last-Event-ID', 'is not an id of this stream');
  const stop = new AbortController();
  request.signal.addEventListener('abort', () => stop.abort(), { once: true });
  const events = liveDecisions({
    after: given === null ? await newestDecisionId(services.database) : Number(given),
    read: (after, limit) => decisionsAfter(services.database, condition, after, limit),
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined),
    // A token that was revoked, or a member who was removed, stops listening.
    mayGoOn: () =>
      authorize('viewer', request, services, { now: services.clock(), address }).then(
        () => true,
        () => false,
      ),
    isOver: isShuttingDown,
    signal: stop.signal,
  });
  return eventStream(events, stop);
}
