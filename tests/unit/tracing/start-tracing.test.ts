import { diag } from '@opentelemetry/api';
import { afterAll, expect, it } from 'vitest';
import { boundAgent } from '@/lib/http/bound-agent';
import { startTracing } from '@/lib/tracing/start-tracing';
import { BAD_RECEIVER_NAMES, startBadReceiver } from '@/tests/fixtures/bad-receivers';
import { until } from '@/tests/fixtures/until';

const TIME = 1_000;
const SETTINGS = { OTEL_BSP_SCHEDULE_DELAY: '10', OTEL_EXPORTER_OTLP_TIMEOUT: String(TIME) };

afterAll(() => diag.disable());

/** Starts tracing to a collector. The SDK reads its settings from the environment, synchronously. */
function traceTo(url: string, protocol: 'http/json' | 'http/protobuf') {
  const results: ('sent' | Error)[] = [];
  const environment = { ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: url };
  const before = Object.keys(environment).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, environment);
  const tracing = startTracing({
    ...{ protocol, version: 'test', hide: (text: string) => text, warn: () => undefined },
    boundAgent: (agent, time) => boundAgent(agent, { peer: 'collector', time }),
    outage: {
      recordFailure: (error) => void results.push(error instanceof Error ? error : new Error(String(error))),
      recordSuccess: () => void results.push('sent'),
    },
  });
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  return { tracing, results };
}

const REQUEST = { method: 'GET', path: '/', route: 'upstream', requestId: 'r', address: null };

it.each(['http/json', 'http/protobuf'] as const)(
  'every bad receiver is survived as collector of %s',
  async (protocol) => {
    await Promise.all(
      BAD_RECEIVER_NAMES.map(async (name) => {
        await using receiver = await startBadReceiver(name);
        const { tracing, results } = traceTo(receiver.url, protocol);
        for (const round of [1, 2]) {
          let isServed = false;
          tracing.serve({ ...REQUEST, headers: {} }, () => {
            isServed = true;
          })(200);
          expect(isServed).toBe(true);
          // Each export ends, so that spans of later requests are sent too.
          await until(() => results.length >= round, 20_000).catch(() => expect.fail(`${name} holds export ${round}`));
          const result = results[round - 1];
          if (result instanceof Error) expect(result.message, name).toMatch(/\w/);
        }
        await tracing.close();
        await until(() => receiver.countOpen() === 0, 20_000).catch(() => expect.fail(`${name} holds a connection`));
        expect(receiver.lured, name).toBe(0);
        expect(receiver.sent, name).toBeLessThan(100_000_000);
      }),
    );
  },
);
