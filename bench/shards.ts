import { formatThousands, table } from './rounds';

const WINDOW = 1_000;
const DURATION = 20_000;
/** Requests per second. */
const RATE = 5_000;
const ADDRESSES = 2_000;
const USERS = 500;
/** Limits of a user and of an address per window: hardly ever, sometimes, and often reached. */
const LIMITS = [
  { user: 22, address: 9 },
  { user: 14, address: 5 },
  { user: 8, address: 3 },
];

/** Count of a request on one shard. */
interface Hit {
  at: number;
  /** True if it is reverted later, because another shard refused the request. */
  doomed: boolean;
}

interface Scenario {
  shards: number;
  limits: (typeof LIMITS)[number];
  /** Average round trip from a process to a shard, in ms. */
  trip: number;
}

interface Outcome {
  requests: number;
  refused: number;
  /** Refusals that happened only because of counts that were reverted later. */
  wrongly: number;
  calls: number;
  /** True if a shard ever counted more for a subject than its limit. */
  above: boolean;
}

/**
 * Simulates counters on several shards, by subject. A request reserves on the shards of all its subjects at once, and
 * reverts its reservations if one of them refuses. Time and randomness are simulated.
 */
export async function run(): Promise<string> {
  const rows: string[][] = [];
  for (const shards of [1, 4, 16]) {
    for (const limits of LIMITS) {
      for (const trip of [0.5, 5]) {
        const { requests, refused, wrongly, calls, above } = simulate({ shards, limits, trip });
        if (above) throw new Error('A shard admitted more than a limit.');
        rows.push([
          String(shards),
          `${limits.user}, ${limits.address}`,
          String(trip),
          share(refused, requests),
          share(wrongly, requests),
          (calls / requests).toFixed(2),
        ]);
      }
    }
  }
  const head = ['shards', 'limits: user, address', 'round trip, ms', 'refused', 'refused wrongly', 'calls a request'];
  return [
    `A simulation of ${DURATION / 1000} s: ${formatThousands(RATE)} requests a second, each of one of ${formatThousands(ADDRESSES)} addresses and one of ${USERS} users. Wrongly refused are those that only met what another request took back later.`,
    table(head, rows),
  ].join('\n\n');
}

function simulate({ shards, limits, trip }: Scenario): Outcome {
  const random = randomFrom(1);
  const counters = new Map<string, Hit[]>();
  const events: { at: number; run: () => void }[] = [];
  const outcome: Outcome = { requests: 0, refused: 0, wrongly: 0, calls: 0, above: false };
  const undecided: (() => void)[] = [];
  const later = (at: number, run: () => void) => events.push({ at, run });
  const hitsAt = (name: string, at: number) => {
    const hits = (counters.get(name) ?? []).filter((hit) => hit.at > at - WINDOW);
    counters.set(name, hits);
    return hits;
  };

  const request = (at: number) => {
    outcome.requests += 1;
    const subjects = [
      { name: `address ${Math.floor(random() * ADDRESSES)}`, most: limits.address },
      { name: `user ${Math.floor(random() * USERS)}`, most: limits.user },
    ].map((subject) => ({ ...subject, shard: Math.floor(hash(subject.name) * shards) }));
    const parts = [...new Set(subjects.map(({ shard }) => shard))].map((shard) =>
      subjects.filter((subject) => subject.shard === shard),
    );
    outcome.calls += parts.length;
    const own: Hit[] = [];
    const reserved: { name: string; hit: Hit }[] = [];
    const refusals: { hits: Hit[]; most: number }[] = [];
    let answered = 0;
    for (const part of parts) {
      const reaches = at + trip * random();
      later(reaches, () => {
        // Within one shard a request is all or nothing, as today.
        const counted = part.map(({ name, most }) => ({ name, most, hits: hitsAt(name, reaches) }));
        const full = counted.filter(({ hits, most }) => hits.length + 1 > most);
        if (full.length > 0) refusals.push(...full.map(({ hits, most }) => ({ hits: [...hits], most })));
        else
          for (const { name, most, hits } of counted) {
            const hit = { at: reaches, doomed: false };
            hits.push(hit);
            own.push(hit);
            reserved.push({ name, hit });
            outcome.above ||= hits.length > most;
          }
        answered += 1;
        if (answered < parts.length || refusals.length === 0) return;
        outcome.refused += 1;
        if (reserved.length > 0) outcome.calls += 1;
        for (const { name, hit } of reserved) {
          hit.doomed = true;
          // The refusal returns, and the reversal is sent.
          later(reaches + trip * (0.5 + random()), () => {
            counters.set(
              name,
              (counters.get(name) ?? []).filter((other) => other !== hit),
            );
          });
        }
        undecided.push(() => {
          const fits = ({ hits, most }: { hits: Hit[]; most: number }) =>
            hits.filter(({ doomed }) => !doomed).length + 1 <= most;
          if (refusals.every(fits)) outcome.wrongly += 1;
        });
      });
    }
  };

  // Requests arrive in steps of a millisecond. Events run in time order.
  for (let now = 0; now < DURATION; now += 1) {
    for (let i = 0; i < RATE / 1000; i += 1) request(now);
    for (;;) {
      const due = events.filter(({ at }) => at < now + 1).toSorted((a, b) => a.at - b.at);
      if (due.length === 0) break;
      const rest = events.filter(({ at }) => at >= now + 1);
      events.splice(0, events.length, ...rest);
      for (const { run } of due) run();
    }
  }
  for (const judge of undecided) judge();
  return outcome;
}

function share(part: number, whole: number): string {
  return `${((part / whole) * 100).toFixed(2)} %`;
}

/** Mulberry32, which yields the same numbers in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Hashes to a number from 0 to 1, by FNV-1a. */
function hash(name: string): number {
  let value = 0x811c9dc5;
  for (const char of name) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return (value >>> 0) / 2 ** 32;
}
