import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildCounterState } from '@/lib/counters/counter-state';
import { LEASE_LIFE } from '@/lib/counters/held-lease';
import { Leases, SWEEP_EVERY } from '@/lib/counters/leases';
import { StoreUnavailable } from '@/lib/counters/store';
import { type Counter, createEmptyCounter } from '@/lib/limiter/counter';
import { evaluateGroup } from '@/lib/limiter/evaluate-group';
import type { Attempt, Meter } from '@/lib/limiter/meter';
import { LeasingModel } from '../../fixtures/leasing-model';

const START = Date.UTC(2026, 10, 23, 12);
const KEY = 'ip|192.0.2.1|read|60';

/** What promises lead to at once. */
async function turn(): Promise<void> {
  for (let i = 0; i < 8; i += 1) await null;
}

/** A wait for a call of the store, as the instance sees it. */
const TIMEOUT = 250;

type Step =
  | { kind: 'ask'; instance: number; times: number; cost: number }
  | { kind: 'pause' | 'resume' | 'crash' | 'cut' | 'join'; instance: number }
  | { kind: 'reset' };

interface Scenario {
  seconds: number;
  limit: number;
  lease: number;
  /** Of each instance: how much faster its clock runs, and by how much its wall clock is off. */
  clocks: { rate: number; off: number }[];
  /** Of calls, in turn. */
  latencies: number[];
  steps: { gap: number; step: Step }[];
}

/** Instances on one store: calls take time, get lost, and their answers too. Time is the store's. */
class Simulation {
  readonly model = new LeasingModel();
  readonly instances: Instance[];
  readonly attempt: (cost: number) => Attempt;
  /** What was really admitted, as the judge counts it. */
  readonly admitted = new Map<string, Counter>();
  /** Permits that nobody will spend or give back: of those who died, and of lost messages. */
  lost = 0;
  leased = 0;
  refused = 0;
  resetAt = 0;
  lateSpent = 0;
  #queue: { at: number; run: () => void }[] = [];
  #calls = 0;

  constructor(readonly scenario: Scenario) {
    this.model.now = START;
    const { seconds, limit, lease } = scenario;
    const meter: Meter = { subject: 'ip', key: KEY, limit, window: { kind: 'sliding', seconds }, lease };
    // Some costs are those of the meter, others those of the attempt.
    this.attempt = (cost) =>
      cost % 2 === 0 ? { meters: [meter], cost } : { meters: [{ ...meter, cost }], cost: cost + 1 };
    this.instances = scenario.clocks.map((clock) => new Instance(this, clock));
  }

  after(milliseconds: number, run: () => void): void {
    this.#queue.push({ at: this.model.now + milliseconds, run });
  }

  latency(): number {
    this.#calls += 1;
    return this.scenario.latencies[this.#calls % this.scenario.latencies.length] ?? 0;
  }

  async advance(milliseconds: number): Promise<void> {
    const until = this.model.now + milliseconds;
    for (;;) {
      const next = Math.min(...this.#queue.map(({ at }) => at));
      if (next > until) break;
      this.model.now = next;
      const due = this.#queue.filter(({ at }) => at === next);
      this.#queue = this.#queue.filter(({ at }) => at !== next);
      for (const { run } of due) run();
      await turn();
      this.check();
    }
    this.model.now = until;
  }

  async step(step: Step): Promise<void> {
    if (step.kind === 'reset') {
      this.model.clear(KEY);
      this.admitted.clear();
      this.resetAt = this.model.now;
      this.lateSpent = 0;
      this.lost = 0;
    } else {
      const instance = this.instances[step.instance % this.instances.length];
      if (instance === undefined) throw new Error('There is no instance.');
      if (step.kind === 'ask') for (let i = 0; i < step.times; i += 1) instance.ask(step.cost);
      else instance.become(step.kind);
    }
    await turn();
    this.check();
  }

  /** A request was let through now: the judge must do the same. */
  admit(cost: number): void {
    const { verdicts, changed } = evaluateGroup([this.attempt(cost)], this.model.now, this.admitted);
    expect(verdicts[0]?.admitted, 'more than the limit').toBe(true);
    for (const { key, counter } of changed) this.admitted.set(key, counter);
  }

  get really(): number {
    return evaluateGroup([this.attempt(0)], this.model.now, this.admitted).verdicts[0]?.readings[0]?.used ?? 0;
  }

  /** What is counted ahead is never more than what instances may hold. */
  check(): void {
    const ahead = this.model.used(KEY) - this.really;
    expect(ahead).toBeGreaterThanOrEqual(0);
    expect(ahead, 'held').toBeLessThanOrEqual(this.instances.length * this.scenario.lease + this.lost);
  }
}

class Instance {
  readonly leases: Leases;
  #state: 'up' | 'paused' | 'dead' = 'up';
  #isCut = false;
  /** What arrives while it is paused. */
  #missed: (() => void)[] = [];
  revision = 0;

  constructor(
    readonly world: Simulation,
    readonly time: { rate: number; off: number },
  ) {
    const elapsed = () => (world.model.now - START) * time.rate;
    this.leases = new Leases({
      leasing: {
        take: (revision, meter, permits) =>
          this.#call(
            () => world.model.take(revision, meter, permits),
            (slice) => slice?.permits ?? 0,
          ),
        returnPermits: (unspent) => {
          const permits = unspent.reduce((sum, each) => sum + each.permits, 0);
          return this.#call(
            () => world.model.returnPermits(unspent),
            () => 0,
            permits,
          );
        },
      },
      monotonic: () => 1_000 + elapsed(),
      clock: () => START + time.off + elapsed(),
    });
    const sweep = () => {
      if (this.#state === 'up') this.leases.sweep();
      if (this.#state !== 'dead') world.after(SWEEP_EVERY, sweep);
    };
    world.after(SWEEP_EVERY, sweep);
  }

  become(kind: 'pause' | 'resume' | 'crash' | 'cut' | 'join'): void {
    if (this.#state === 'dead') return;
    if (kind === 'crash') {
      this.#state = 'dead';
      this.world.lost += this.world.scenario.lease;
    } else if (kind === 'pause') this.#state = 'paused';
    else if (kind === 'resume') {
      this.#state = 'up';
      for (const run of this.#missed.splice(0)) run();
    } else this.#isCut = kind === 'cut';
  }

  ask(cost: number): void {
    const { world } = this;
    if (this.#state !== 'up') return;
    const spent = this.leases.spend(this.revision, world.attempt(cost), this.leases.readClock());
    if (spent !== null) {
      world.leased += 1;
      // A reset that this instance has not heard of: what it holds is of the counter before.
      if (this.revision !== world.model.revision) {
        world.lateSpent += cost;
        expect(world.model.now - world.resetAt).toBeLessThanOrEqual(LEASE_LIFE * 1.1);
        expect(world.lateSpent).toBeLessThanOrEqual(world.instances.length * world.scenario.lease);
      } else world.admit(cost);
      return;
    }
    world.after(world.latency(), () => {
      if (this.#isCut) return;
      this.revision = world.model.revision;
      const verdict = world.model.decide(world.attempt(cost));
      if (verdict.admitted) world.admit(cost);
      else world.refused += 1;
    });
  }

  /** @param held of the answer: what the instance then holds @param sent with the call: what it held before */
  #call<T>(run: () => Promise<T>, held: (answer: T) => number, sent = 0): Promise<T> {
    const { world } = this;
    return new Promise((resolve, reject) => {
      const fail = () => this.#deliver(() => reject(new StoreUnavailable('late')));
      world.after(world.latency(), () => {
        if (this.#isCut || this.#state === 'dead') {
          world.lost += sent;
          world.after(TIMEOUT, fail);
          return;
        }
        void run().then((answer) => {
          world.after(world.latency(), () => {
            if (!this.#isCut && this.#state !== 'dead') return this.#deliver(() => resolve(answer));
            world.lost += held(answer);
            world.after(TIMEOUT, fail);
          });
        });
      });
    });
  }

  #deliver(run: () => void): void {
    if (this.#state === 'paused') this.#missed.push(run);
    else if (this.#state === 'up') run();
  }
}

// Two of the instances are asked most.
const instance = fc.constantFrom(0, 0, 1, 1, 2, 3);
const ask = fc.record({
  kind: fc.constant('ask' as const),
  instance,
  times: fc.constantFrom(1, 5, 30, 60, 100),
  cost: fc.constantFrom(1, 1, 1, 2),
});
const trouble = fc.oneof(
  fc.record({ kind: fc.constantFrom('pause', 'resume', 'cut', 'join', 'crash', 'resume', 'join'), instance }),
  fc.record({ kind: fc.constant('reset' as const) }),
) as fc.Arbitrary<Step>;

function scenarios(steps: fc.Arbitrary<Step>): fc.Arbitrary<Scenario> {
  return fc.record({
    seconds: fc.constantFrom(1, 7, 60, 60, 3_600),
    limit: fc.constantFrom(20, 300, 2_000, 20_000),
    lease: fc.constantFrom(1, 10, 50, 400),
    clocks: fc.array(fc.record({ rate: fc.constantFrom(1, 0.93, 1.07), off: fc.constantFrom(0, -5_000, 3_600_000) }), {
      minLength: 2,
      maxLength: 4,
    }),
    latencies: fc.array(fc.constantFrom(0, 1, 1, 5, 40, 200), { minLength: 1, maxLength: 7 }),
    steps: fc.array(
      fc.record({ gap: fc.constantFrom(0, 1, 1, 2, 10, 17, 40, 100, 400, 950, 1_100, 3_000), step: steps }),
      {
        minLength: 20,
        maxLength: 60,
      },
    ),
  });
}

async function played(scenario: Scenario): Promise<Simulation> {
  const world = new Simulation(scenario);
  for (const { gap, step } of scenario.steps) {
    await world.advance(gap);
    await world.step(step);
  }
  return world;
}

describe('leases of several instances', () => {
  it('admit what the judge admits, and hold no more than their leases, whoever dies, sleeps or is cut off', async () => {
    let leased = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(
        scenarios(fc.oneof({ weight: 6, arbitrary: ask }, { weight: 1, arbitrary: trouble })),
        async (scenario) => {
          const world = await played(scenario);
          leased += world.leased;
          refused += world.refused;
          for (const each of world.instances) {
            each.become('join');
            each.become('resume');
          }
          await world.advance(1_500);
          expect(world.model.used(KEY) - world.really).toBeLessThanOrEqual(world.lost);
        },
      ),
      { numRuns: 60 },
    );
    // Both happened.
    expect(leased).toBeGreaterThan(200);
    expect(refused).toBeGreaterThan(200);
  });

  it('have counted exactly what was admitted, a second after the last request', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios(ask), async (scenario) => {
        const world = await played({ ...scenario, latencies: scenario.latencies.map((each) => Math.min(each, 40)) });
        await world.advance(1_100);
        const window = { kind: 'sliding', seconds: scenario.seconds } as const;
        const stateOf = (counter: Counter | undefined) =>
          buildCounterState(KEY, counter ?? createEmptyCounter(window, world.model.now), window, world.model.now);
        expect(stateOf(world.model.counters.get(KEY))).toEqual(stateOf(world.admitted.get(KEY)));
      }),
      { numRuns: 30 },
    );
  });

  it('spend nothing beside the slot, though the clock of the store runs faster', async () => {
    const step = (gap: number, times: number) => {
      return { gap, step: { kind: 'ask' as const, instance: 0, times, cost: 1 } };
    };
    const world = await played({
      ...{ seconds: 60, limit: 5_000, lease: 50, latencies: [0], clocks: [{ rate: 0.93, off: 0 }] },
      // The 31st finds what was taken 500 ms before the end of a slot.
      steps: [step(500, 30), step(0, 1)],
    });
    expect(world.leased).toBe(1);
    // Half a second later by the clock of the store, 466 ms by that of the instance.
    await world.advance(501);
    await world.step(step(0, 5).step);
    expect(world.leased).toBe(1);
  });
});
