import { setImmediate as nextTurn } from 'node:timers/promises';
import { applyState } from '../lib/admin/state/apply';
import { planState } from '../lib/admin/state/plan';
import { StateDocumentSchema } from '../lib/contract/state';
import { migrate } from '../lib/db/migrate';
import { parseAddress } from '../lib/limiter/address';
import { createSystemContext } from '../lib/operation/context';
import type { Services } from '../lib/operation/services';
import { servicesOn, testServices } from '../tests/fixtures/services';
import { SqldServer, sqldIsMissing } from '../tests/fixtures/sqld-server';
import { formatThousands, table } from './rounds';

/** Builds a document: half allowlist entries, a tenth keys, the rest overrides. */
function buildDocument(count: number, reason: string) {
  const some = (share: number) => Array.from({ length: count * share }, (_, index) => index);
  const address = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  return {
    version: 1,
    allowlist: some(0.5).map((index) => ({ type: 'ip', identifier: address(index), reason })),
    overrides: some(0.4).map((index) => ({
      ...{ type: 'user_id', identifier: `user ${index}`, reason },
      ...{ class: 'read', limit: 5, window_seconds: 60 },
    })),
    api_keys: some(0.1).map((index) => ({ name: `key ${index}`, tier: 'starter' })),
  };
}

/**
 * Measures planning and applying state documents, from the parsed body to the answer, and the refresh of the rules
 * afterwards.
 */
export async function run(): Promise<string> {
  const rows: string[][] = [];
  for (const count of [10_000, 100_000]) {
    using file = await testServices();
    rows.push(...(await measure('embedded file', file.services, count)));
  }
  if (!sqldIsMissing('bench state')) {
    const server = await SqldServer.start();
    const database = server.open();
    try {
      await migrate(database, 'drizzle', 0);
      rows.push(...(await measure('libSQL server', await servicesOn(database, {}, () => Date.now()), 10_000)));
    } finally {
      database.close();
      await server.stop();
    }
  }
  return table(
    ['store', 'entries', 'document', 'changes', 'parse', 'plan', 'apply', 'refresh', 'longest gap', 'of it CPU'],
    rows,
  );
}

async function measure(store: string, services: Services, count: number): Promise<string[][]> {
  const documents = [
    ['new', buildDocument(count, 'Office')],
    ['the same again', buildDocument(count, 'Office')],
    ['every reason edited', buildDocument(count, 'Other')],
    ['empty, with prune', { version: 1, allowlist: [], overrides: [], api_keys: [] }],
  ] as const;
  const rows: string[][] = [];
  for (const [name, document] of documents) {
    const times: string[] = [];
    const timed = async <T>(work: () => T | Promise<T>): Promise<T> => {
      const start = performance.now();
      const result = await work();
      times.push(`${((performance.now() - start) / 1000).toFixed(2)} s`);
      return result;
    };
    const body = await timed(() => StateDocumentSchema.parse(document));
    const input = { params: {}, query: { prune: 'true' as const }, body };
    const context = createSystemContext(services);
    const plan = (await timed(() => planState.run(context, input))) as { changes: readonly unknown[] };
    const gap = await longestGap(services, async () => {
      await timed(() => applyState.run(context, input));
      await timed(() => services.rules.readFresh());
    });
    const held = [gap.wall, gap.cpu].map((ms) => `${Math.round(ms)} ms`);
    rows.push([store, formatThousands(count), name, formatThousands(plan.changes.length), ...times, ...held]);
  }
  return rows;
}

/**
 * Returns the longest time between two consecutive decisions while work runs in the same process, in ms. `cpu` is the
 * most processor time between two, which is more accurate on a busy machine.
 */
async function longestGap({ engine }: Services, work: () => Promise<void>): Promise<{ wall: number; cpu: number }> {
  const address = parseAddress('192.0.2.1');
  const cpuTime = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  let isDone = false;
  const longest = { wall: 0, cpu: 0 };
  const deciding = (async () => {
    let last = { wall: performance.now(), cpu: cpuTime() };
    while (!isDone) {
      await engine.decide({ method: 'GET', path: '/api/things', address, requestId: null });
      await nextTurn();
      const now = { wall: performance.now(), cpu: cpuTime() };
      longest.wall = Math.max(longest.wall, now.wall - last.wall);
      longest.cpu = Math.max(longest.cpu, now.cpu - last.cpu);
      last = now;
    }
  })();
  await work();
  isDone = true;
  await deciding;
  return longest;
}
