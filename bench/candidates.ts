import { join } from 'node:path';
import { DEFAULT_POLICIES, mergePatch } from '../lib/contract/policies';
import type { CandidateRecord } from '../lib/enforcement/candidates';
import { Rules } from '../lib/enforcement/rules';
import { parseAddress } from '../lib/limiter/address';
import { createEngine } from './create-engine';
import { type Contender, formatThousands, median, rate, table } from './rounds';
import { runInFolder } from './run-in-folder';
import { embeddedCounters, openCounters } from './tables';

const WAITING = [1, 50, 200];
const SUBJECTS = 1_000;
const LIMIT = { limit: 1_000_000_000, window_seconds: 60 };
/** Candidate limits: one that decides like the live one, one that refuses everything, one with another window. */
const LIMITS = {
  agrees: { limit: LIMIT.limit / 2, seconds: 60 },
  'refuses all': { limit: 0, seconds: 60 },
  'other window': { limit: LIMIT.limit / 2, seconds: 30 },
};
type Kind = keyof typeof LIMITS | 'route rules';

/** Measures whole decisions of the engine on a file, with and without candidates. */
export async function run({ rounds = 7 }: { rounds?: number } = {}): Promise<string> {
  return runInFolder(async (folder) => {
    const rows: string[][] = [];
    for (const meters of [1, 4] as const) {
      const contenders = [
        engineWith(join(folder, `${meters}.db`), meters, 0, 'agrees'),
        ...([...Object.keys(LIMITS), 'route rules'] as Kind[]).flatMap((kind) => {
          const counts = meters === 4 && kind !== 'route rules' ? [1, 3] : [1];
          return counts.map((count) => engineWith(join(folder, `${meters}-${count}-${kind}.db`), meters, count, kind));
        }),
      ];
      for (const waiting of WAITING) {
        const costs = await measureInTurn(contenders, waiting, rounds);
        const [without = Number.NaN] = costs.map(({ cost }) => cost);
        for (const [i, { cost, rate: decided }] of costs.entries()) {
          const more = i === 0 ? '' : `+${Math.round((cost / without - 1) * 100)} %`;
          rows.push([
            `${meters}`,
            `${waiting}`,
            contenders[i]?.name ?? '',
            formatThousands(decided),
            cost.toFixed(1),
            more,
          ]);
        }
      }
    }
    const head = ['meters', 'waiting', 'candidates', 'decisions/s', 'µs of processor a decision', 'more'];
    return `Median of ${rounds} interleaved rounds, ${formatThousands(SUBJECTS)} subjects. Limits without a candidate must cost nothing extra.\n\n${table(head, rows)}`;
  });
}

function engineWith(path: string, meters: 1 | 4, count: number, kind: Kind): Contender {
  const rules = new Rules(
    mergePatch(DEFAULT_POLICIES, {
      classes: { read: { ip: LIMIT, user: LIMIT } },
      clients: { public: LIMIT, confidential: LIMIT },
      global: LIMIT,
      tiers: { enterprise: LIMIT.limit },
    }),
  );
  const keys = Array.from({ length: SUBJECTS }, (_, i) => `key-${i}`);
  for (const id of keys) {
    rules.setKey({
      ...{ id, name: id, tier: 'enterprise', clientType: 'confidential', userId: null, overageAllowed: false },
      ...{ monthStartsOn: 1, monthShift: 0 },
      ...{ secretHash: id, previousSecretHash: null, previousSecretUntil: null, expiresAt: null },
    });
  }
  const places = ['classes.read.ip', 'clients.confidential', 'classes.read.user'] as const;
  if (kind === 'route rules') rules.candidateRules = { id: 'c9', rules: [], endsAt: null };
  else if (count > 0) {
    const { limit, seconds } = LIMITS[kind];
    const candidate = (id: string): CandidateRecord => ({
      id,
      windows: [{ limit, window: { kind: 'sliding', seconds } }],
      places: null,
      endsAt: null,
    });
    rules.candidates = new Map(places.slice(0, count).map((place, i) => [place, candidate(`c${i}`)]));
  }
  let recorded = 0;
  const engine = createEngine(embeddedCounters(openCounters(path)), rules, () => {
    recorded += 1;
  });
  const someone = () => Math.floor(Math.random() * SUBJECTS);
  const facts = () => {
    const i = someone();
    const address = parseAddress(`10.0.${i >> 8}.${i & 255}`);
    const own = { method: 'GET', path: '/api/data', class: 'read' as const, address, requestId: null };
    return meters === 1 ? own : { ...own, apiKeyId: `key-${i}`, userId: `user-${i}` };
  };
  return {
    name: count === 0 ? 'none' : kind === 'route rules' ? kind : `${count}, ${kind}`,
    decide: async (waiting) => {
      const decisions = await Promise.all(Array.from({ length: waiting }, () => engine.decide(facts())));
      if (recorded === 0 || decisions.some(({ outcome }) => outcome !== 'allowed'))
        throw new Error('A decision was refused.');
    },
  };
}

/**
 * Measures decisions a second and the processor time of this process, which other load on the machine does not affect.
 */
async function measureInTurn(contenders: readonly Contender[], waiting: number, rounds: number) {
  const seen = contenders.map((): { cost: number; rate: number }[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [i, contender] of contenders.entries()) {
      const [begun, start] = [performance.now(), process.cpuUsage()];
      const decided = await rate(contender, waiting, 300);
      const { user, system } = process.cpuUsage(start);
      const decisions = (decided * (performance.now() - begun)) / 1_000;
      if (round > 0) seen[i]?.push({ cost: (user + system) / decisions, rate: decided });
    }
  }
  return seen.map((own) => ({ cost: median(own.map(({ cost }) => cost)), rate: median(own.map((one) => one.rate)) }));
}
