import { mkdtempSync, rmSync } from 'node:fs';
import { type HeapProfiler, Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { peerMemory, peerSqlite, sluice } from './engine-contenders';
import type { Contender } from './rounds';
import { formatThousands, table } from './rounds';

const WAITING = 50;
const GROUPS = 400;
/** Average number of bytes between two samples of the heap profiler. */
const INTERVAL = 4_096;

/**
 * Measures what a decision allocates on V8's heap, collected or not. It is a property of the code, not of the machine.
 */
export async function run(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    const rows: string[][] = [];
    for (const meters of [1, 4] as const) {
      const load = { keys: 1_000, meters };
      const contenders = [
        sluice(join(folder, `sluice-${meters}.db`), load),
        await peerSqlite(join(folder, `peer-${meters}.db`), load),
        peerMemory(load),
      ];
      for (const contender of contenders) {
        rows.push([
          `${contender.name}, ${meters === 1 ? 'one meter' : 'four meters'}`,
          await measureAllocations(contender),
        ]);
      }
    }
    return [
      `V8's sampling heap profiler, ${formatThousands(GROUPS * WAITING)} decisions after as many to warm up, ${WAITING} waiting, 1,000 subjects.`,
      table(['', 'bytes allocated a decision'], rows),
    ].join('\n\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureAllocations(contender: Contender): Promise<string> {
  const decideAll = async () => {
    for (let group = 0; group < GROUPS; group += 1) await contender.decide(WAITING);
  };
  await decideAll();
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: INTERVAL,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  } as HeapProfiler.StartSamplingParameterType);
  await decideAll();
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  return formatThousands(sumBytes(profile.head) / (GROUPS * WAITING));
}

function sumBytes(node: HeapProfiler.SamplingHeapProfileNode): number {
  return node.children.reduce((sum, child) => sum + sumBytes(child), node.selfSize);
}
