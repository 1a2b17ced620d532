import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type RateLimiterAbstract, RateLimiterSQLite, RateLimiterUnion } from 'rate-limiter-flexible';
import { DEFAULT_POLICIES, mergePatch } from '../lib/contract/policies';
import { formatCheckResult } from '../lib/enforcement/decision-api/check-result';
import { readNamedLimits } from '../lib/enforcement/named-limits';
import type { Facts } from '../lib/enforcement/plan';
import type { ResetLog } from '../lib/enforcement/reset-log';
import { Rules } from '../lib/enforcement/rules';
import { Settlements } from '../lib/enforcement/settlements';
import { createEngine } from './create-engine';
import { type Contender, cost, formatThousands, median, rounds, table } from './rounds';
import { runInFolder } from './run-in-folder';
import { embeddedCounters, openCounters } from './tables';

/** Never reached, because an admission costs more than a refusal. */
const LIMIT = 1_000_000_000;
const SUBJECTS = 1_000;
const WINDOWS = { one: [60], three: [1, 60, 3_600] };
type Limit = keyof typeof WINDOWS;
const WAITING = [50, 100];
const UNION = 'RateLimiterUnion of three';

/** Measures checks and settlements of named limits against a class, and against a union of three other limiters. */
export async function run(): Promise<string> {
  return runInFolder(async (folder) => {
    const open = (name: string) => new Checks(join(folder, `${name}.db`));
    const contenders = [
      open('class').check('class', null),
      open('named').check('named limit', 'one'),
      open('windows').check('three windows', 'three'),
      open('batch').checkBatch('batch of named limits', 'one'),
      open('reserved').check('check to settle', 'one', 600),
      open('settled').checkAndSettle('check and settlement', 'one'),
      await createUnion(UNION, join(folder, 'union.db')),
    ];
    const rows: string[][] = [];
    for (const waiting of WAITING) {
      const costs = await rounds(contenders, waiting, 200, 9, median, cost);
      const [ofClass = Number.NaN, one = Number.NaN, three = Number.NaN, batch = Number.NaN] = costs;
      const [reserved = Number.NaN, both = Number.NaN, union = Number.NaN] = costs.slice(4);
      const ratios = [one / ofClass, three / one, (both - reserved) / reserved, union / three];
      rows.push([
        String(waiting),
        ...costs.map((micros) => micros.toFixed(1)),
        ...ratios.map((ratio) => `${ratio.toFixed(2)} ×`),
        formatThousands(1_000_000 / batch),
      ]);
    }
    const head = ['waiting', ...contenders.map(({ name }) => name)];
    const compared = ['named / class', 'three / one', 'settlement / check to settle', 'union / three windows'];
    return `Microseconds of CPU time per operation, median of 9 interleaved rounds; ${formatThousands(SUBJECTS)} subjects, WAL, \`synchronous = normal\`, each on a file of its own. A check is planned, counted and formatted as its answer.\n\n${table([...head, ...compared, 'decisions of batches per core-second'], rows)}`;
  });
}

/** Decides as the decision API does, without HTTP. */
class Checks {
  readonly #engine;
  readonly #settlements;

  constructor(path: string) {
    const limit = { limit: LIMIT, window_seconds: 60 };
    const rules = new Rules(mergePatch(DEFAULT_POLICIES, { classes: { read: { user: limit } }, global: limit }));
    rules.limits = readNamedLimits(Object.keys(WINDOWS).map((name) => createLimit(name as Limit))).limits;
    this.#engine = createEngine(embeddedCounters(openCounters(path)), rules);
    // No counter is reset.
    const resets = { read: () => null, hasCleared: () => false } as unknown as ResetLog;
    const sealing = { randomBytes, authSecret: 'secret of the benchmark' };
    this.#settlements = new Settlements({ engine: this.#engine, resets, clock: Date.now, ...sealing });
  }

  /** @param limit null for a class */
  check(name: string, limit: Limit | null, settleWithin?: number): Contender {
    return {
      name,
      decide: async (waiting) => {
        await Promise.all(Array.from({ length: waiting }, () => this.#check(limit, settleWithin)));
      },
    };
  }

  checkBatch(name: string, limit: Limit): Contender {
    return {
      name,
      decide: async (waiting) => {
        const decisions = await this.#engine.decideAll(Array.from({ length: waiting }, () => createFacts(limit)));
        for (const decision of decisions) formatCheckResult(decision, this.#settlements);
      },
    };
  }

  checkAndSettle(name: string, limit: Limit): Contender {
    return {
      name,
      decide: async (waiting) => {
        const answers = await Promise.all(Array.from({ length: waiting }, () => this.#check(limit, 600)));
        await Promise.all(
          answers.map((answer) => this.#settlements.settle((JSON.parse(answer) as { id: string }).id, { [limit]: 2 })),
        );
      },
    };
  }

  async #check(limit: Limit | null, settleWithin?: number): Promise<string> {
    const facts = createFacts(limit);
    const decision = await this.#engine.decide(settleWithin === undefined ? facts : { ...facts, settleWithin });
    if (decision.outcome !== 'allowed') throw new Error('A check was refused.');
    return formatCheckResult(decision, this.#settlements);
  }
}

function createLimit(name: Limit) {
  return {
    ...{ id: `0123456789${name.slice(0, 2)}`, name, description: '', unit: 'requests', tiers: {} },
    ...{ in_flight: null, on_store_failure: 'local', lease: null, created_at: CREATED, created_by: 'bench' },
    updated_at: CREATED,
    windows: WINDOWS[name].map((seconds) => ({ limit: LIMIT, seconds })),
  };
}

const CREATED = '2026-01-01T00:00:00.000Z';

function createFacts(limit: Limit | null): Facts {
  const subject = pickSubject();
  if (limit === null)
    return { method: 'GET', path: null, class: 'read', userId: subject, address: undefined, requestId: null };
  return {
    method: 'GET',
    path: null,
    class: null,
    limits: [{ name: limit, subject, cost: 1 }],
    address: undefined,
    requestId: null,
  };
}

function pickSubject(): string {
  return `+49151${Math.floor(Math.random() * SUBJECTS)}`;
}

async function createUnion(name: string, path: string): Promise<Contender> {
  const database = openCounters(path);
  const limiters = await Promise.all(
    WINDOWS.three.map(
      (seconds) =>
        new Promise<RateLimiterSQLite>((resolve, reject) => {
          const limiter: RateLimiterSQLite = new RateLimiterSQLite(
            {
              storeClient: database,
              storeType: 'better-sqlite3',
              tableName: 'peer',
              keyPrefix: `s${seconds}`,
              points: LIMIT,
              duration: seconds,
            },
            (error) => (error ? reject(error) : resolve(limiter)),
          );
        }),
    ),
  );
  const union = new RateLimiterUnion(...(limiters as RateLimiterAbstract[]));
  return {
    name,
    decide: async (waiting) => {
      await Promise.all(Array.from({ length: waiting }, () => union.consume(pickSubject())));
    },
  };
}
