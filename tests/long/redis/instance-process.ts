import { setTimeout as wait } from 'node:timers/promises';
import { openRedisEngine } from '@/bench/redis-engine';
import { DEFAULT_POLICIES, mergePatch } from '@/lib/contract/policies';
import type { Facts } from '@/lib/enforcement/plan';
import { Rules } from '@/lib/enforcement/rules';
import { parseAddress } from '@/lib/limiter/address';

/*
 * An instance: the engine, its breaker and its degraded mode, with counters in Redis, without HTTP. It decides for one
 * client without end, and in each round also for a new client and for a sign-in.
 */
export type Order = { kind: 'flood'; ip: string } | { kind: 'stop'; since: number; before: number };

/** What happened since the flood began. */
export interface Tally {
  /** Admitted by the store. */
  stored: number;
  /** Admitted by the store between the two times of the order to stop. */
  between: number;
  /** Admitted by the process itself, for the client of the flood. */
  degraded: number;
  /** Refused by the store, because the limit was reached. */
  refused: number;
  /** New clients that were refused. */
  strangersRefused: number;
  /** Sign-ins that were decided without the store, other than by `service_unavailable`. */
  unsafeSignIns: number;
  /** Sign-ins that were refused because the store was down. */
  unavailable: number;
  /** Whether the last round was decided by the store. */
  hasStore: boolean;
  /** Whether the last decision of the store was a refusal. */
  isFull: boolean;
}

const [url = '', limit = '', id = ''] = process.argv.slice(2);
const BATCH = 10;
const ip = { limit: Number(limit), window_seconds: 86_400 };
const rules = new Rules(mergePatch(DEFAULT_POLICIES, { classes: { read: { ip }, auth: { ip } } }));
const engine = await openRedisEngine({ url, rules, onStoreFailure: () => undefined });

const facts = (address: string, name: 'read' | 'auth'): Facts => {
  return { method: 'GET', path: '/', class: name, address: parseAddress(address), requestId: null };
};

let strangers = 0;
let flooding: Promise<void> | null = null;
let isStopped = false;
let tally: Tally;
let stored: { at: number; count: number }[] = [];

async function decideOnce(address: string): Promise<void> {
  strangers += 1;
  const stranger = `2001:db8:${Number(id).toString(16)}:${strangers.toString(16)}::1`;
  const flood = Array.from({ length: BATCH }, () => facts(address, 'read'));
  const [decisions, [other, signIn]] = await Promise.all([
    engine.decideAll(flood),
    engine.decideAll([facts(stranger, 'read'), facts(stranger, 'auth')]),
  ]);
  const byStore = decisions.filter(({ degraded }) => !degraded);
  const admitted = byStore.filter(({ outcome }) => outcome === 'allowed').length;
  tally.stored += admitted;
  stored.push({ at: Date.now(), count: admitted });
  tally.refused += byStore.length - admitted;
  tally.degraded += decisions.filter(({ degraded, outcome }) => degraded && outcome !== 'refused').length;
  tally.hasStore = byStore.length === BATCH;
  if (byStore.length > 0) tally.isFull = admitted < byStore.length;
  if (other?.outcome === 'refused') tally.strangersRefused += 1;
  if (signIn?.refusal?.error === 'service_unavailable') tally.unavailable += 1;
  else if (signIn?.degraded !== false || signIn.outcome !== 'allowed') tally.unsafeSignIns += 1;
}

async function flood(address: string): Promise<void> {
  const none = { stored: 0, between: 0, degraded: 0, refused: 0, strangersRefused: 0, unsafeSignIns: 0 };
  tally = { ...none, unavailable: 0, hasStore: false, isFull: false };
  stored = [];
  isStopped = false;
  for (let round = 0; !isStopped; round += 1) {
    await decideOnce(address);
    if (round % 10 === 0) process.send?.({ progress: tally });
    // Several instances share few processors, and the nodes of the cluster need some too.
    await wait(5);
  }
}

process.on('message', async (order: Order) => {
  if (order.kind === 'flood') {
    flooding = flood(order.ip);
    return;
  }
  isStopped = true;
  await flooding;
  const within = stored.filter(({ at }) => at >= order.since && at <= order.before);
  tally.between = within.reduce((sum, { count }) => sum + count, 0);
  process.send?.({ result: tally });
});
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
