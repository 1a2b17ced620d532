import { setImmediate as turn } from 'node:timers/promises';
import { DEFAULT_POLICIES, mergePatch } from '../lib/contract/policies';
import type { Receiver } from '../lib/counters/group-commit';
import type { Decision } from '../lib/enforcement/decision';
import type { Facts } from '../lib/enforcement/plan';
import { Rules } from '../lib/enforcement/rules';
import { parseAddress } from '../lib/limiter/address';
import { openRedisEngine } from './redis-engine';

/** One round: number of requests per event-loop turn, and duration. */
export interface Round {
  lease: number | null;
  callers: number;
  milliseconds: number;
}

export interface RoundResult {
  decided: number;
  /** Processor time in µs. */
  own: number;
}

/* One instance: the engine with its counters in Redis, without HTTP. In each event-loop turn, every instance
   requests one decision per caller on the same address. */
const [url = ''] = process.argv.slice(2);
const rules = new Rules(DEFAULT_POLICIES);
const engine = await openRedisEngine({
  ...{ url, rules, leases: true, commandTimeout: 20_000 },
  onStoreFailure: (error) => {
    throw error;
  },
});

/** Requests this many decisions at once, as the decision API does. */
function requestDecisions(facts: Facts, times: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let waiting = times;
    const receiver: Receiver<Decision> = {
      resolve: ({ outcome }) => {
        waiting -= 1;
        if (outcome !== 'allowed') reject(new Error('A request was refused.'));
        else if (waiting === 0) resolve();
      },
      reject,
    };
    for (let time = 0; time < times; time += 1) engine.decideTo(facts, receiver);
  });
}

async function play({ lease, callers, milliseconds }: Round): Promise<RoundResult> {
  const ip = { limit: 1_000_000_000, window_seconds: 60 };
  rules.policies = mergePatch(DEFAULT_POLICIES, { classes: { read: { ip, lease } } });
  const address = parseAddress(lease === null ? '192.0.2.1' : '192.0.2.2');
  const facts: Facts = { method: 'GET', path: '/api/data', class: 'read', address, requestId: null };
  const before = process.cpuUsage();
  const end = performance.now() + milliseconds;
  let decided = 0;
  while (performance.now() < end) {
    await requestDecisions(facts, callers);
    decided += callers;
    await turn();
  }
  const { user, system } = process.cpuUsage(before);
  return { decided, own: user + system };
}

process.on('message', (round: Round) => void play(round).then((result) => process.send?.(result)));
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
