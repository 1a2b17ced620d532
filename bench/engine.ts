import { join } from 'node:path';
import { type Load, peerMemory, peerSqlite, sluice } from './engine-contenders';
import { formatThousands, mean, rounds, table } from './rounds';
import { runInFolder } from './run-in-folder';

const WAITING = [1, 8, 32, 50, 128, 200];
/** Milliseconds of a round. Journaling and folding alternate over seconds, so the mean represents all rounds. */
const BY_KEYS = 2_000;
const ROUNDS = 6;
/** Rounds until most of a million subjects were decided more than once, because the first decision reads the tables. */
const ROUNDS_OF_A_MILLION = 12;
const KEYS = [1, 1_000, 10_000, 100_000, 1_000_000];

/** Measures the engine in process against rate-limiter-flexible on the same SQLite with the same settings. */
export async function run(): Promise<string> {
  return [
    'Decisions a second, median of 5 interleaved rounds; WAL, `synchronous = normal`, each on a file of its own.',
    await measureByWaiting({ keys: 1_000, meters: 1 }),
    await measureByWaiting({ keys: 1_000, meters: 4 }),
    await measureByKeys(),
  ].join('\n\n');
}

async function measureByWaiting(load: Load): Promise<string> {
  return runInFolder(async (folder) => {
    const contenders = [
      sluice(join(folder, 'sluice.db'), load),
      await peerSqlite(join(folder, 'peer.db'), load),
      peerMemory(load),
    ];
    const rows: string[][] = [];
    for (const waiting of WAITING) {
      const rates = await rounds(contenders, waiting, 300);
      rows.push([waiting === 1 ? 'one alone' : `${waiting}`, ...cells(rates)]);
    }
    const title = load.meters === 1 ? 'One meter' : 'Four meters (address, client, user, quota)';
    return `**${title}, ${formatThousands(load.keys)} subjects, by how many wait at once**\n\n${table(['waiting', ...head(contenders)], rows)}`;
  });
}

async function measureByKeys(): Promise<string> {
  const rows: string[][] = [];
  let names: string[] = [];
  for (const keys of KEYS) {
    await runInFolder(async (folder) => {
      const load: Load = { keys, meters: 1 };
      const contenders = [sluice(join(folder, 'sluice.db'), load), await peerSqlite(join(folder, 'peer.db'), load)];
      names = head(contenders);
      rows.push([
        formatThousands(keys),
        ...cells(await rounds(contenders, 50, BY_KEYS, keys < 1_000_000 ? ROUNDS : ROUNDS_OF_A_MILLION, mean)),
      ]);
    });
  }
  return `**One meter, 50 waiting, by live subjects (each decision about a random one), mean of ${ROUNDS} rounds of ${BY_KEYS / 1_000} s, of ${ROUNDS_OF_A_MILLION} with a million**\n\n${table(['subjects', ...names], rows)}`;
}

function head(contenders: readonly { name: string }[]): string[] {
  return [...contenders.map(({ name }) => name), 'Sluice / SQLite peer'];
}

function cells(rates: readonly number[]): string[] {
  const [own = Number.NaN, peer = Number.NaN] = rates;
  return [...rates.map(formatThousands), `${(own / peer).toFixed(1)} ×`];
}
