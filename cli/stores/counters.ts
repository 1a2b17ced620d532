import { randomUUID } from 'node:crypto';
import type { Input } from '@/cli/command';
import { isOn } from '@/cli/command';
import type { CommandContext } from '@/cli/context';
import { buildLocalActor, openServerDatabase, readServerSettings, runOnStores } from '@/cli/stores/opened-stores';
import { adoptCounters, planAdoption } from '@/lib/admin/counter-store/adopt';
import { moveCounters } from '@/lib/admin/counter-store/move';
import { describePlace } from '@/lib/counters/active-store';
import type { CounterSum } from '@/lib/counters/transfer/counter-snapshot';

const createId = () => randomUUID();

export async function runCounterMove(context: CommandContext, input: Input) {
  const { output } = context;
  const clock = () => context.now();
  const { config, fromRedisUrl } = readServerSettings(input);
  await runOnStores(config, async () => {
    const database = await openServerDatabase(config);
    const moved = await moveCounters({
      ...{ database, fromRedisUrl, clock, newId: createId },
      redisUrl: config.REDIS_URL,
      overwrite: isOn(input, 'overwrite'),
      actor: buildLocalActor(),
    }).finally(() => database.close());
    const { from, to, counters } = moved;
    if (output.json) return output.show({ from, to, moved: counters });
    if (counters === null) return output.printLine(`The counters are in ${describePlace(to)} already.`);
    await output.printLine(`Moved from ${describePlace(from)} to ${describePlace(to)}: ${describeSum(counters)}.`);
    output.note('Start every instance with these settings; one with the former settings refuses all decisions.');
  });
}

export async function runCounterAdoption(context: CommandContext, input: Input) {
  const { output } = context;
  const clock = () => context.now();
  const { config } = readServerSettings(input);
  await runOnStores(config, async () => {
    const database = await openServerDatabase(config);
    try {
      const options = { database, redisUrl: config.REDIS_URL, clock };
      const plan = await planAdoption(options);
      const { from, to, found, lost, isNew } = plan;
      if (!isNew) {
        if (output.json) return await output.show({ from, to, found, lost });
        return await output.printLine(`The counters are in ${describePlace(to)} already.`);
      }
      output.note(`${describePlace(to)} counts ${describeSum(found)}.`);
      const loss = lost === null ? 'all that it counts' : describeSum(lost);
      if (from !== null && (lost === null || lost.keys + lost.windows > 0))
        await output.confirm(`Give up what is in ${describePlace(from)}: ${loss}?`);
      await adoptCounters({ ...options, actor: buildLocalActor(), newId: createId }, plan);
      if (output.json) return await output.show({ from, to, found, lost });
      await output.printLine(`The counters are in ${describePlace(to)} from now on.`);
    } finally {
      database.close();
    }
  });
}

/** Summarizes counters: "512 requests of 3 keys this month, and 17 counters of windows". */
export function describeSum({ keys, requests, windows }: CounterSum): string {
  const count = (number: number, one: string) => `${number} ${one}${number === 1 ? '' : 's'}`;
  return `${count(requests, 'request')} of ${count(keys, 'key')} this month, and ${count(windows, 'counter')} of windows`;
}
