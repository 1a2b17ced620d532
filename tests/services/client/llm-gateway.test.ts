import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { createLimit } from '@/lib/admin/named-limits/create';
import { buildPackages } from '@/server/packages';
import { call } from '@/tests/fixtures/call';
import { decisionServer } from '@/tests/fixtures/decision-server';
import { close, listen } from '@/tests/fixtures/listen';
import { partsAreMissing } from '@/tests/fixtures/programs';
import { serveWeb } from '@/tests/fixtures/serve-web';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '@/tests/fixtures/services';
import { until, untilPasses } from '@/tests/fixtures/until';

const EXAMPLES = 'docs/examples/llm-gateway';
const LIMITS = [
  { name: 'requests', windows: [{ limit: 60, seconds: 60 }] },
  {
    name: 'tokens',
    unit: 'tokens',
    windows: [
      { limit: 2_000, seconds: 60 },
      { limit: 5_000, seconds: 86_400 },
    ],
  },
  { name: 'streams', in_flight: { limit: 2, lease_seconds: 3_600 } },
];

interface Asked {
  use: number;
  max_tokens: number;
  stream?: boolean;
}

/** A model that answers a stream when the test says, with its usage in the last event. */
const model = { held: [] as (() => void)[], most: 0, open: 0 };

function answerAsModel({ use, stream }: Asked, response: ServerResponse): void {
  const usage = { prompt_tokens: 1, completion_tokens: use - 1, total_tokens: use };
  if (use < 0) return void response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"broken"}');
  if (stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ choices: [{ message: { content: '"total_tokens":9' } }], usage }));
  }
  model.open += 1;
  model.most = Math.max(model.most, model.open);
  response.once('close', () => {
    model.open -= 1;
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (value: unknown) => response.write(`data: ${JSON.stringify(value)}\n\n`);
  event({ choices: [{ delta: { content: 'Hello' } }] });
  model.held.push(() => {
    event({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  });
}

let place: TestServices;
let sluice: Awaited<ReturnType<typeof decisionServer>>;
let models: Server;
beforeAll(async () => {
  await buildPackages(process.cwd());
  place = await testServices();
  for (const body of LIMITS) expect((await call(place.services, createLimit, { body })).status).toBe(201);
  sluice = await decisionServer(place.services);
  models = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    answerAsModel(JSON.parse(String(Buffer.concat(chunks))), response);
  });
  const environment = { SLUICE_URL: sluice.url, SLUICE_TOKEN: TEST_ADMIN_TOKEN, MODEL_KEY: 'key', PORT: '0' };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  vi.stubEnv('MODEL_URL', `http://127.0.0.1:${await listen(models)}`);
});
beforeEach(() => Object.assign(model, { held: [], most: 0, open: 0 }));
afterAll(async () => {
  vi.unstubAllEnvs();
  await close(models);
  await sluice.stop();
  place[Symbol.dispose]();
});

const load = (file: string) => import(/* @vite-ignore */ pathToFileURL(join(process.cwd(), EXAMPLES, file)).href);

const GATEWAYS: Record<string, () => Promise<{ url: string; stop(): Promise<unknown> }>> = {
  async express() {
    const { server } = await load('express.mjs');
    if (!server.listening) await once(server, 'listening');
    return { url: `http://127.0.0.1:${server.address().port}`, stop: () => close(server) };
  },
  async hono() {
    const { default: app } = await load('hono.mjs');
    return serveWeb(app.fetch);
  },
  async python() {
    const child = spawn('python3', [`${EXAMPLES}/gateway.py`], { stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.on('data', (data) => (output += String(data)));
    await until(() => /\d+\n/.test(output));
    const stop = async () => child.kill() && (await once(child, 'exit'));
    return { url: `http://127.0.0.1:${/\d+/.exec(output)?.[0]}`, stop };
  },
};

/** Units and places that a subject uses now, of each window. */
async function readUsed(subject: string): Promise<Record<string, number>> {
  const { json } = await call(place.services, inspectCounters, { query: { type: 'subject', identifier: subject } });
  return Object.fromEntries(
    json.counters.map(({ limit_name, window_seconds, used }: Record<string, number>) => [
      `${limit_name} ${window_seconds}`,
      used,
    ]),
  );
}

for (const [name, start] of Object.entries(GATEWAYS)) {
  const suite = `the gateway for a language model in ${name}`;
  describe.skipIf(name === 'python' && partsAreMissing(suite, 'python'))(suite, () => {
    it('counts what was used, and never has more than two streams of a key', async () => {
      const { url, stop } = await start();
      onTestFinished(async () => void (await stop()));
      const ask = (body: Asked, signal?: AbortSignal, key = name) =>
        fetch(`${url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-api-key': key },
          body: JSON.stringify(body),
          ...(signal && { signal }),
        });
      const untilUsed = (tokens: number, streams: number) =>
        untilPasses(async () => {
          const used = await readUsed(name);
          expect(used).toMatchObject({ 'tokens 60': tokens, 'tokens 86400': tokens, 'streams 3600': streams });
        });

      // The first decision loads modules, which can take longer than the time-out of the client.
      await untilPasses(async () => {
        expect((await ask({ use: 1, max_tokens: 1 }, undefined, `warm-up of ${name}`)).status).toBe(200);
      });
      const plain = await ask({ use: 120, max_tokens: 500 });
      expect([plain.status, (await plain.json()).usage.total_tokens]).toEqual([200, 120]);
      expect((await ask({ use: -1, max_tokens: 500 })).status).toBe(500);
      await untilUsed(120, 0);

      const left = new AbortController();
      const streams = await Promise.all(
        Array.from({ length: 5 }, () => ask({ use: 80, max_tokens: 100, stream: true }, left.signal)),
      );
      const admitted = streams.filter(({ status }) => status === 200);
      expect([admitted.length, model.most]).toEqual([2, 2]);
      const refused = await streams.find(({ status }) => status === 429)?.json();
      expect(refused).toMatchObject({ error: 'rate_limit_exceeded', limit_name: 'streams' });
      await untilUsed(320, 2);
      for (const finish of model.held.splice(0)) finish();
      for (const stream of admitted) expect(await stream.text()).toContain('[DONE]');
      await untilUsed(280, 0);

      const aborted = await ask({ use: 80, max_tokens: 100, stream: true }, left.signal);
      await aborted.body?.getReader().read();
      left.abort();
      // A gateway that only writes notices it with the next events.
      await untilPasses(async () => {
        for (const finish of model.held) finish();
        expect(await readUsed(name)).toMatchObject({ 'streams 3600': 0 });
      });
      const used = (await readUsed(name))['tokens 60'] ?? 0;
      expect([360, 380]).toContain(used);

      const large = await ask({ use: 1, max_tokens: 1_900 });
      expect([large.status, Number(large.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
      expect(await large.json()).toMatchObject({ limit_name: 'tokens' });
      expect(await readUsed(name)).toMatchObject({ 'requests 60': 5, 'tokens 60': used });
    });
  });
}
