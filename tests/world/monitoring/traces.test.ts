import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { close, listen } from '@/tests/fixtures/listen';
import { otlpReceiver, type ReceivedSpan } from '@/tests/fixtures/otlp-receiver';
import { type Product, startProduct } from '@/tests/fixtures/product';
import { RedisServer, redisIsMissing } from '@/tests/fixtures/redis-server';
import { until } from '@/tests/fixtures/until';

const CALLER = 'b7ad6b7169203331';
let traces = 0;
/** Of a trace of its own. */
function newTrace(recorded = true) {
  traces += 1;
  const traceId = `0af7651916cd43dd8448eb${String(traces).padStart(10, '0')}`;
  return { traceId, traceparent: `00-${traceId}-${CALLER}-${recorded ? '01' : '00'}` };
}

type Receiver = Awaited<ReturnType<typeof otlpReceiver>>;

async function startTraced(receiver: Receiver, env: Record<string, string>): Promise<Product> {
  return startProduct({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.origin, OTEL_BSP_SCHEDULE_DELAY: '50', ...env },
  });
}

describe.skipIf(redisIsMissing('integration/monitoring (traces)'))('traces', () => {
  let receiver: Receiver;
  let redis: RedisServer;
  let product: Product;
  let upstreamGot: IncomingHttpHeaders = {};
  const upstream = createServer((request, response) => {
    upstreamGot = request.headers;
    response.end('from the upstream');
  });

  beforeAll(async () => {
    receiver = await otlpReceiver();
    redis = await RedisServer.start();
    product = await startTraced(receiver, {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      SLUICE_UPSTREAM: `http://127.0.0.1:${await listen(upstream)}`,
      SLUICE_LOG_LEVEL: 'info',
      REDIS_URL: redis.url,
    });
  });
  afterAll(async () => {
    await product?.stop();
    await redis?.stop();
    await receiver?.close();
    await close(upstream);
  });

  /** The spans of a trace once that of its request is there, which ends last. */
  async function spansOf(traceId: string): Promise<ReceivedSpan[]> {
    await until(() => receiver.of(traceId).some(({ kind, parentSpanId }) => kind === 2 && parentSpanId === CALLER));
    return receiver.of(traceId);
  }
  const one = (spans: readonly ReceivedSpan[], name: string, kind: number): ReceivedSpan => {
    const found = spans.filter((span) => span.name === name && span.kind === kind);
    expect(found, name).toHaveLength(1);
    return found[0]!;
  };

  it('lead from the caller through decision and store to the upstream', async () => {
    const { traceId, traceparent } = newTrace();
    const headers = { traceparent, tracestate: 'vendor=1', 'X-Request-Id': 'traced-request' };
    const response = await fetch(`${product.origin}/orders/17?card=4111`, { headers });
    expect(await response.text()).toBe('from the upstream');
    const spans = await spansOf(traceId);
    const request = one(spans, 'GET upstream', 2);
    const decision = one(spans, 'decide', 1);
    // A second one where the rules were behind, as they may be for the first request.
    const commits = spans.filter(({ name, kind }) => name === 'store commit' && kind === 3);
    const call = one(spans, 'GET upstream', 3);
    expect(decision.parentSpanId).toBe(request.spanId);
    expect(commits.length).toBeGreaterThan(0);
    expect(commits.every(({ parentSpanId }) => parentSpanId === decision.spanId)).toBe(true);
    expect(call.parentSpanId).toBe(request.spanId);
    expect(upstreamGot.traceparent).toBe(`00-${traceId}-${call.spanId}-01`);
    expect(upstreamGot.tracestate).toBe('vendor=1');
    expect(request.attributes).toMatchObject({
      'http.request.method': 'GET',
      'url.path': '/orders/17',
      'http.response.status_code': 200,
      'sluice.request_id': 'traced-request',
    });
    expect(decision.attributes).toEqual({ 'sluice.class': 'read', 'sluice.outcome': 'allowed' });
    for (const { attributes } of commits) expect(attributes).toMatchObject({ 'db.system.name': 'redis' });
    expect(call.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'http.response.status_code': 200 });
    expect(JSON.stringify(spans)).not.toContain('4111');
    expect(receiver.resource).toMatchObject({ 'service.name': 'sluice', 'deployment.environment.name': 'test' });
    expect(receiver.requests[0]).toMatchObject({ path: '/v1/traces', authorization: 'Bearer of-the-collector' });
    await until(() => product.output().includes(`"traceId":"${traceId}"`));
  });

  it('show the database behind an operation, and nothing of the query that was asked', async () => {
    const { traceId, traceparent } = newTrace();
    const path = '/v1/admin/tokens?q=nobody-reads-this';
    expect((await product.admin('GET', path, undefined, { traceparent })).status).toBe(200);
    await fetch(`${product.origin}/sign-in?callbackUrl=nobody-reads-this`, { headers: { traceparent } });
    const spans = await spansOf(traceId);
    const request = one(spans, 'GET admin', 2);
    const ids = new Set(spans.map(({ spanId }) => spanId));
    expect(spans.filter(({ parentSpanId = '' }) => parentSpanId !== CALLER && !ids.has(parentSpanId))).toEqual([]);
    const read = spans.filter(({ attributes }) => String(attributes['db.query.text']).includes('admin_tokens'));
    expect(read.length).toBeGreaterThan(0);
    expect(read[0]).toMatchObject({ kind: 3, attributes: { 'db.system.name': 'sqlite', 'db.operation.name': 'read' } });
    expect(request.parentSpanId).toBe(CALLER);
    expect(request.attributes['url.path']).toBe('/v1/admin/tokens');
    await until(() => receiver.of(traceId).some(({ name }) => name === 'GET sign_in'));
    expect(JSON.stringify(receiver.of(traceId))).not.toContain('nobody-reads-this');
  });

  it('show a call of the decision API with what it decided', async () => {
    const { traceId, traceparent } = newTrace();
    const checks = Array(12).fill({ class: 'auth', ip: '198.51.100.7' });
    await product.admin('POST', '/v1/check/batch', checks, { traceparent });
    const spans = await spansOf(traceId);
    expect(one(spans, 'POST decision', 2).attributes).toMatchObject({ 'http.response.status_code': 200 });
    expect(one(spans, 'decide', 1).attributes).toEqual({ 'sluice.decisions': 12, 'sluice.refused': 2 });
  });

  it('that their caller does not record are handed on alone', async () => {
    const { traceId, traceparent } = newTrace(false);
    await fetch(`${product.origin}/orders`, { headers: { traceparent } });
    expect(upstreamGot.traceparent).toMatch(new RegExp(`^00-${traceId}-[\\da-f]{16}-00$`));
    const later = newTrace();
    await fetch(`${product.origin}/orders`, { headers: { traceparent: later.traceparent } });
    await spansOf(later.traceId);
    expect(receiver.of(traceId)).toEqual([]);
  });

  it('have no spans for probes, nor for the periodic work of the process', async () => {
    for (const path of ['/healthz', '/readyz']) await fetch(`${product.origin}${path}`);
    const { traceId, traceparent } = newTrace();
    await fetch(`${product.origin}/orders`, { headers: { traceparent } });
    await spansOf(traceId);
    const roots = receiver.all().filter(({ parentSpanId }) => parentSpanId === undefined || parentSpanId === '');
    expect(roots).toEqual([]);
  });
});

describe('traces as protobuf', () => {
  it('are sent by default, and what is left when the process stops', async () => {
    const receiver = await otlpReceiver();
    const product = await startTraced(receiver, { OTEL_BSP_SCHEDULE_DELAY: '60000' });
    await product.admin('POST', '/v1/check', { class: 'read', ip: '198.51.100.7' });
    expect(receiver.requests).toEqual([]);
    expect(await product.stop()).toBe(0);
    expect(receiver.requests).toMatchObject([{ path: '/v1/traces', type: 'application/x-protobuf' }]);
    const text = receiver.requests[0]?.body.toString('latin1') ?? '';
    for (const name of ['POST decision', 'decide', 'store commit', 'sqlite']) expect(text).toContain(name);
    await receiver.close();
  });
});

describe('a collector that is down', () => {
  it('delays no request, is reported once, and delays the stop by less than a second', async () => {
    // Accepts connections, and does not answer.
    const collector = createTcpServer();
    const port = await listen(collector);
    const product = await startProduct({
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_EXPORTER_OTLP_TIMEOUT: '100',
        OTEL_BSP_SCHEDULE_DELAY: '10',
      },
    });
    const connected = new Promise((resolve) => collector.once('connection', resolve));
    const check = () => product.admin('POST', '/v1/check', { class: 'read', ip: '198.51.100.7' });
    await check();
    await connected;
    await until(() => product.output().includes('"message":"sending traces failed"'));
    for (let round = 0; round < 20; round += 1) expect((await check()).status).toBe(200);
    const lines = product
      .output()
      .trim()
      .split('\n')
      .filter((line) => line.includes('"level":"warn"'));
    expect(lines).toHaveLength(1);
    expect(await product.stop()).toBe(0);
    collector.close();
  });
});
