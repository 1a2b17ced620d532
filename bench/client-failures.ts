import { createServer, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import autocannon from 'autocannon';
import type { HttpServer } from './http-server';
import { formatThousands, table } from './rounds';

const SECONDS = 5;

/** A Sluice that fails: what happens to it during the load, and how it ends. */
interface Failing {
  during?: () => Promise<void>;
  stop: () => Promise<unknown>;
}

type Fail = (port: number, startSluice: () => Promise<HttpServer>) => Promise<Failing>;

const listening =
  (behaviour: (socket: Socket) => void): Fail =>
  async (port) => {
    const server = createServer(behaviour).listen(port, '127.0.0.1');
    return { stop: async () => server.close() };
  };
const describeFailure = (text: string) =>
  listening((socket) => {
    socket.on('error', () => undefined).once('data', () => socket.end(text));
  });

const FAILURES: Readonly<Record<string, Fail>> = {
  'accepts connections and never answers': listening((socket) => void socket.on('error', () => undefined)),
  'does not listen': async () => ({ stop: async () => undefined }),
  'answers garbage': describeFailure('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n<garbage>'),
  'breaks off within the body': describeFailure('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"allow'),
  async 'is killed while requests are under way'(_, startSluice) {
    const server = await startSluice();
    const during = async () => {
      await wait(SECONDS * 500);
      await server.kill();
    };
    return { during, stop: server.kill };
  },
};

/**
 * Measures how an application with this many concurrent requests sees a Sluice that fails.
 * @param port port where Sluice is called
 * @param startSluice starts a real one there
 */
export async function measureWhileSluiceFails(
  { origin, concurrent }: { origin: string; concurrent: number },
  port: number,
  startSluice: () => Promise<HttpServer>,
): Promise<string> {
  const rows: string[][] = [];
  for (const [name, fail] of Object.entries(FAILURES)) {
    const failing = await fail(port, startSluice);
    const begin = () => fetch(`${origin}/failing?url=http://127.0.0.1:${port}`, { method: 'POST' });
    const load = () => autocannon({ url: `${origin}/requests/failing`, connections: concurrent, duration: SECONDS });
    await begin();
    if (failing.during !== undefined) {
      // A server that has just started would be slow, which would count as a failure.
      await load();
      await begin();
    }
    const [{ latency, errors, ...counts }] = await Promise.all([load(), failing.during?.()]);
    await failing.stop();
    const { times, decided } = (await (await fetch(`${origin}/failing`)).json()) as {
      times: number[];
      decided: number;
    };
    const at = (share: number) => (times[Math.ceil(times.length * share) - 1] ?? Number.NaN).toFixed(0);
    rows.push([
      name,
      ...[at(0.5), at(0.99), at(1), String(latency.p99), formatThousands(counts['2xx'])],
      ...[`${Math.round((decided / times.length) * 100)} %`, String(errors)],
    ]);
  }
  return table(
    [
      'while Sluice',
      ...['a decision: p50 ms', 'p99 ms', 'longest ms', 'a request: p99 ms', 'answers', 'decided by Sluice', 'errors'],
    ],
    rows,
  );
}
