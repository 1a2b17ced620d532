import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { beforeEach, expect, it } from 'vitest';
import { OpenTelemetry } from '@/lib/tracing/open-telemetry';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracing = new OpenTelemetry({
  tracer: provider.getTracer('test'),
  contexts: new AsyncLocalStorageContextManager().enable(),
  hide: (text) => text.replace('secret', '[redacted]'),
  close: () => provider.shutdown(),
});

beforeEach(() => exporter.reset());

const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const request = (headers: Record<string, string> = {}) => ({
  method: 'GET',
  path: '/a/secret/path',
  route: 'upstream',
  requestId: 'r-1',
  address: '203.0.113.7',
  headers,
});
const allowed = { class: 'read', outcome: 'allowed', degraded: false, refusal: null };
/** Runs `work` within a served request. */
async function served<T>(work: () => T, headers: Record<string, string> = {}): Promise<Awaited<T>> {
  let result: T | undefined;
  const end = tracing.serve(request(headers), () => {
    result = work();
  });
  const awaited = (await result) as Awaited<T>;
  end(200);
  return awaited;
}
const spans = () => exporter.getFinishedSpans();
const named = (name: string) => spans().filter((span) => span.name === name);

it('a request continues the trace of its caller, and hands its own on', async () => {
  const headers = { traceparent: CALLER, tracestate: 'vendor=1' };
  await served(() => undefined, headers);
  const [span] = spans();
  expect(span?.spanContext().traceId).toBe('0af7651916cd43dd8448eb211c80319c');
  expect(span?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  expect(headers).toEqual({
    traceparent: `00-0af7651916cd43dd8448eb211c80319c-${span?.spanContext().spanId}-01`,
    tracestate: 'vendor=1',
  });
  expect(span?.attributes).toEqual({
    'http.request.method': 'GET',
    'url.path': '/a/[redacted]/path',
    'sluice.route': 'upstream',
    'sluice.request_id': 'r-1',
    'client.address': '203.0.113.7',
    'http.response.status_code': 200,
  });
});

it('a caller whose traceparent is not valid begins none, and its tracestate goes no further', async () => {
  const headers: Record<string, string> = { traceparent: '00-zz', tracestate: 'vendor=1' };
  await served(() => undefined, headers);
  expect(spans()[0]?.parentSpanContext).toBeUndefined();
  expect(headers).toEqual({
    traceparent: `00-${spans()[0]?.spanContext().traceId}-${spans()[0]?.spanContext().spanId}-01`,
  });
});

it('a trace that its caller does not record is handed on, and not recorded', async () => {
  const headers = { traceparent: CALLER.replace(/01$/, '00') };
  const inside = await served(
    () => [tracing.startDecisionSpan(), tracing.startUpstreamSpan('GET', 'http://a.test')],
    headers,
  );
  expect(inside).toEqual([null, null]);
  expect(headers.traceparent).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-00$/);
  expect(spans()).toEqual([]);
});

it('a group is one call of the store: within the first decision, linked with the others', async () => {
  const begin = () => served(() => tracing.startDecisionSpan());
  const [first, second] = [await begin(), await begin()];
  if (first === null || second === null) throw new Error('There is no span.');
  await tracing.group([first, second], () => tracing.commit('redis', 2, async () => undefined));
  first.end([allowed]);
  second.end([{ ...allowed, outcome: 'refused', refusal: { error: 'quota_exceeded' } }]);
  const [commit] = named('store commit');
  const [one, two] = named('decide');
  expect(commit?.attributes).toEqual({ 'db.system.name': 'redis', 'sluice.group_size': 2 });
  expect(commit?.parentSpanContext?.spanId).toBe(one?.spanContext().spanId);
  expect(commit?.links.map((link) => link.context.spanId)).toEqual([two?.spanContext().spanId]);
  expect(two?.links.map((link) => link.context.spanId)).toEqual([commit?.spanContext().spanId]);
  expect(one?.attributes).toEqual({ 'sluice.class': 'read', 'sluice.outcome': 'allowed' });
  expect(two?.attributes).toMatchObject({ 'sluice.outcome': 'refused', 'sluice.reason': 'quota_exceeded' });
});

it('a group of which nothing is recorded belongs to no trace', async () => {
  await served(() => tracing.group([], () => tracing.commit('redis', 1, async () => undefined)));
  expect(named('store commit')).toEqual([]);
});

it('a call of the database has its statement and what went wrong, by its code alone', async () => {
  const call = { operation: 'read', sql: 'select "id" from "admin_tokens" where id = ?', statements: 2 } as const;
  const fault = Object.assign(new Error('a secret'), { code: 'SQLITE_BUSY' });
  await served(() => tracing.database(call, () => Promise.reject(fault)).catch(() => undefined));
  const [span] = named('select admin_tokens');
  expect(span?.attributes).toMatchObject({
    'db.query.text': call.sql,
    'db.operation.batch.size': 2,
    'error.type': 'SQLITE_BUSY',
  });
  expect(span?.status).toEqual({ code: 2 });
  await tracing.database(call, async () => undefined);
  expect(named('select admin_tokens')).toHaveLength(1);
});

it('a call of the upstream continues the trace', async () => {
  const call = await served(() => tracing.startUpstreamSpan('POST', 'https://[::1]'));
  call?.end(503);
  const [span] = named('POST upstream');
  expect(call?.headers.traceparent).toContain(span?.spanContext().spanId);
  expect(span?.attributes).toMatchObject({ 'server.port': 443, 'http.response.status_code': 503 });
});
