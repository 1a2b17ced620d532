import { around, pick } from './random.mjs';

const MINUTE = 60_000;
/** Demand is stored for two hours. */
const DEMAND_LASTS = 120 * MINUTE;
const PHONES = Array.from({ length: 40 }, (_, index) => `+49155500010${String(index).padStart(2, '0')}`);
/** The phone number that asks for codes again and again. */
const IMPATIENT = '+4915550001999';

/** The named limits of the demonstration. */
export const LIMITS = [
  {
    name: 'sms',
    description: 'Demo: codes by text message, for each phone number',
    unit: 'codes',
    windows: [
      { limit: 1, seconds: 30 },
      { limit: 5, seconds: 3_600 },
    ],
  },
  {
    name: 'tokens',
    description: 'Demo: tokens of the assistant, for each key',
    unit: 'tokens',
    windows: [
      { limit: 20_000, seconds: 60 },
      { limit: 2_000_000, seconds: 86_400 },
    ],
  },
];

/**
 * Traffic of the named limits, minute by minute.
 * @param count adds a number of one limit to the steps of a time
 * @param refuse records a refusal of one limit and subject
 */
export function inventLimitTraffic(random, { keys, begin, end, busyness, count, refuse }) {
  const usable = keys.filter(({ revoked, tier }) => !revoked && tier !== 'free');
  const demand = [];
  for (let at = begin; at < end; at += MINUTE) {
    const busy = busyness(at);
    const isRecent = end - at <= DEMAND_LASTS;
    const used = new Map();
    for (let left = around(random, 4 * busy); left > 0; left -= 1) {
      const phone = pick(random, PHONES);
      count(at, 'sms', { allowed: 1, units: 1 });
      used.set(phone, { name: 'sms', units: (used.get(phone)?.units ?? 0) + 1, refused: 0, peak: 40 });
    }
    if (random() < 0.2 * busy) {
      count(at, 'sms', { allowed: 1, units: 1 });
      const again = around(random, 1.5);
      for (let left = again; left > 0; left -= 1) {
        refuse(at, 'sms', IMPATIENT);
        count(at, 'sms', { refused: 1, refused_units: 1 });
      }
      used.set(IMPATIENT, { name: 'sms', units: 1 + again, refused: again, peak: 100 });
    }
    for (const { id } of usable) {
      if (random() > 0.3 * busy) continue;
      const reserved = 500 * around(random, 4);
      if (reserved === 0) continue;
      count(at, 'tokens', { allowed: 1, units: reserved, reserved, settled: reserved });
      count(at, 'tokens', { settled_used: Math.round(reserved * (0.4 + 0.5 * random())) });
      used.set(id, { name: 'tokens', units: reserved, refused: 0, peak: Math.round(reserved / 200) });
    }
    if (!isRecent) continue;
    for (const [subject, { name, units, refused, peak }] of used)
      demand.push([at, 'limit', name, subject, units, 0, 0, 0, 0, 0, refused, peak]);
  }
  return demand;
}

/** Allowed requests a minute of the busiest addresses, as shares of a class. All others are stored as one sum. */
const SHARES = [0.07, 0.06, 0.05, 0.05, 0.04, 0.03];

/** Demand of the callers of each class in the last two hours. */
export class ClassDemand {
  #rows = new Map();

  /** @param end end of the last minute */
  constructor(end) {
    this.end = end;
  }

  /** Adds the allowed requests of a minute. `limit` is that of an address. */
  allow(at, name, count, limit) {
    let left = count;
    for (const [index, share] of SHARES.entries()) {
      const own = Math.floor(count * share);
      this.add(
        at,
        { type: 'ip', class: name, identifier: `203.0.113.${90 + index}` },
        { units: own, share: own / limit },
      );
      left -= own;
    }
    this.add(at, { type: 'ip', class: name, identifier: '' }, { units: left, share: 0 });
  }

  /** Adds requests of one caller. `share` is the part of its limit that is used after them. */
  add(at, { type, class: name, identifier }, { units, share, refused = 0 }) {
    if (this.end - at > DEMAND_LASTS || units === 0) return;
    const key = `${at} ${type} ${name} ${identifier}`;
    const row = this.#rows.get(key) ?? [at, type, name, identifier, 0, 0, 0, 0, 0, 0, 0, 0];
    this.#rows.set(key, row);
    row[4] += units;
    row[10] += refused;
    row[11] = Math.max(row[11], Math.min(100, Math.round(share * 100)));
  }

  list() {
    return [...this.#rows.values()];
  }
}
