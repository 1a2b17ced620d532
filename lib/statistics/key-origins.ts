import type { DecisionEvent } from '@/lib/statistics/decision-event';
import { HOUR, type Millis } from '@/lib/units';

/** Addresses, paths and named limits that are counted one by one for a key within an hour. Later ones are counted together. */
export const FOLLOWED_ORIGINS = 32;
/** Most origins that are counted within an hour, and that wait to be written. More are dropped. About 10 MB. */
const MOST_ORIGINS = 50_000;
const LONGEST = 128;

/** `limit` counts the units of the named limits whose subject is the key. */
export type OriginKind = 'ip' | 'path' | 'limit';

/** A row of the `key_origins` table, in the order of its columns. An empty origin stands for all others. */
export type KeyOriginRow = [
  apiKeyId: string,
  hour: Millis,
  kind: OriginKind,
  origin: string,
  allowed: number,
  refused: number,
];

interface Counts {
  readonly row: KeyOriginRow;
  waiting: boolean;
}

type Origins = Readonly<Record<OriginKind, Map<string, Counts>>>;

/**
 * Addresses and paths of the requests of each key, and units of its named limits, by hour. Adding takes a look-up for
 * each, and memory is bounded.
 */
export class KeyOrigins {
  #hour: Millis = 0;
  #keys = new Map<string, Origins>();
  #size = 0;
  #waiting: Counts[] = [];

  /** @param hide removes secrets from paths, which the client chooses */
  constructor(private readonly hide: (text: string) => string) {}

  add(event: DecisionEvent, apiKeyId: string): void {
    const hour = event.at - (event.at % HOUR);
    if (hour > this.#hour) {
      this.#hour = hour;
      this.#keys = new Map();
      this.#size = 0;
    }
    let origins = this.#keys.get(apiKeyId);
    if (origins === undefined) {
      if (this.#size >= MOST_ORIGINS) return;
      origins = { ip: new Map(), path: new Map(), limit: new Map() };
      this.#keys.set(apiKeyId, origins);
    }
    const refused = event.outcome === 'refused';
    const count = (kind: OriginKind, origin: string, units = 1) =>
      this.#count(origins, [apiKeyId, kind, origin], { units, refused });
    if (event.ip !== null) count('ip', event.ip);
    if (event.path !== null) count('path', keepTwoSegments(event.path));
    for (const { name, subject, units } of event.limitUses) if (subject === apiKeyId) count('limit', name, units);
  }

  /** Removes and returns the oldest waiting rows. Their counts are increments for the table. */
  take(most: number): KeyOriginRow[] {
    return this.#waiting.splice(0, most).map((counts) => {
      const [id, hour, kind, origin, allowed, refused] = counts.row;
      counts.row[4] = 0;
      counts.row[5] = 0;
      counts.waiting = false;
      return [id, hour, kind, kind === 'path' ? this.hide(origin) : origin, allowed, refused];
    });
  }

  #count(
    origins: Origins,
    [apiKeyId, kind, origin]: [apiKeyId: string, kind: OriginKind, origin: string],
    { units, refused }: { units: number; refused: boolean },
  ): void {
    const followed = origins[kind];
    let counts = followed.get(origin);
    if (counts === undefined) {
      const name = followed.size < FOLLOWED_ORIGINS ? origin : '';
      counts = followed.get(name);
      if (counts === undefined) {
        if (this.#size >= MOST_ORIGINS) return;
        counts = { row: [apiKeyId, this.#hour, kind, name, 0, 0], waiting: false };
        followed.set(name, counts);
        this.#size += 1;
      }
    }
    counts.row[refused ? 5 : 4] += units;
    if (counts.waiting || this.#waiting.length >= MOST_ORIGINS) return;
    counts.waiting = true;
    this.#waiting.push(counts);
  }
}

/**
 * Returns the first two segments of a path: `/api/orders` for `/api/orders/7`. They name the resource without its id.
 */
function keepTwoSegments(path: string): string {
  const second = path.indexOf('/', 1);
  const third = second === -1 ? -1 : path.indexOf('/', second + 1);
  const end = third === -1 ? path.length : third;
  return path.slice(0, Math.min(end, LONGEST));
}
