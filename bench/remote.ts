import { setTimeout as wait } from 'node:timers/promises';
import { RemoteCounters } from '../lib/counters/remote/store';
import { migrate } from '../lib/db/migrate';
import { SqldServer, sqldIsMissing } from '../tests/fixtures/sqld-server';
import { closedLoop, type Load, sluiceOn } from './redis-contenders';
import { formatThousands, median, table } from './rounds';

const CALLERS = [1, 8, 64, 200, 500];
const ROUNDS = 3;
const MILLISECONDS = 1_000;

/** Measures the counters on a local libSQL server: every group is one batch, which is one round trip. */
export async function run(): Promise<string> {
  if (sqldIsMissing('bench remote')) return 'sqld is not installed.';
  const server = await SqldServer.start();
  const database = server.open();
  try {
    await migrate(database, 'drizzle', 0);
    const rows: string[][] = [];
    for (const callers of CALLERS) {
      const cells: string[] = [];
      for (const meters of [1, 4] as const) {
        const load: Load = { subjects: 1_000, meters };
        const store = new RemoteCounters({
          client: database.client,
          clock: () => Date.now(),
          wait,
          random: Math.random,
          timeout: 20_000,
        });
        const contender = sluiceOn('Sluice', store, load);
        const rates: number[] = [];
        for (let round = 0; round <= ROUNDS; round += 1) {
          const rate = await closedLoop(contender, callers, MILLISECONDS);
          if (round > 0) rates.push(rate);
        }
        const rate = median(rates);
        cells.push(formatThousands(rate), `${((callers / rate) * 1000).toFixed(1)}`);
      }
      rows.push([formatThousands(callers), ...cells]);
    }
    const head = ['callers', 'one meter, decisions a second', 'ms each', 'four meters, decisions a second', 'ms each'];
    return `Decisions on a libSQL server (sqld) on this machine, 1,000 subjects; median of ${ROUNDS} rounds.\n\n${table(head, rows)}`;
  } finally {
    database.close();
    await server.stop();
  }
}
