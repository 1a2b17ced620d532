import { createFromSlots } from '@/lib/counters/counter-state';
import { buildSettlementKey, PREFIX } from '@/lib/counters/redis/keys';
import { createReplyFault } from '@/lib/counters/redis/replies';
import { NO_SETTLEMENTS, type Settlement } from '@/lib/counters/store';
import type { Charge } from '@/lib/limiter/corrections';
import { listCosts } from '@/lib/limiter/costs';
import type { MonthCounter } from '@/lib/limiter/counter';
import type { Attempt, Meter, MonthWindow, Reading, Verdict, Window } from '@/lib/limiter/meter';
import { encodeWindow } from '@/lib/limiter/month-anchor';
import type { SlidingCounter } from '@/lib/limiter/sliding-counter';
import {
  computeCalendarMonth,
  computeMonthEnd,
  computeSlot,
  computeStartOfMonth,
  findSlotExpiry,
} from '@/lib/limiter/window';
import type { Millis } from '@/lib/units';

/** A group, decided by `COMMIT_SCRIPT`. */
interface DecidedGroup {
  now: Millis;
  settled: boolean[];
  verdicts: Verdict[];
}

/** Decodes the doubles that `COMMIT_SCRIPT` replies. @throws StoreUnavailable if it is another reply */
export function decodeVerdicts(
  attempts: readonly Attempt[],
  reply: Buffer,
  settlements: readonly Settlement[] = NO_SETTLEMENTS,
): DecidedGroup {
  let position = 0;
  const readNext = (): number => {
    if (position + 8 > reply.length) throw createReplyFault();
    const value = reply.readDoubleLE(position);
    position += 8;
    return value;
  };
  const now = readNext();
  if (!Number.isSafeInteger(now)) throw createReplyFault();
  const settled = settlements.map(() => readNext() === 1);
  const verdicts = attempts.map((attempt): Verdict => {
    const { meters, cost } = attempt;
    const admitted = readNext() === 1;
    const costs = admitted ? null : listCosts(attempt);
    // Arguments are evaluated in the order of the script's reply.
    const readings = meters.map((meter, i) =>
      buildReading(meter, costs?.[i] ?? cost, now, readNext(), readNext(), admitted ? null : readNext()),
    );
    return { admitted, readings };
  });
  return { now, settled, verdicts };
}

/** @param leaving age of the slot that makes room, or -1 for none; null if the attempt was admitted */
function buildReading(
  meter: Meter,
  cost: number,
  now: Millis,
  used: number,
  newest: number,
  leaving: number | null,
): Reading {
  const { limit } = meter;
  const refused = leaving !== null && meter.unlimited !== true && cost > 0 && used + cost > limit;
  return {
    limit,
    used,
    remaining: Math.max(0, limit - used),
    reset: used === 0 ? now : findExpiryTime(meter, now, newest),
    retryAt: refused ? (cost > limit ? Number.POSITIVE_INFINITY : findExpiryTime(meter, now, leaving)) : null,
  };
}

/** Returns when a slot of this age leaves the window. For a month, returns when it ends. */
function findExpiryTime({ window }: Meter, now: Millis, age: number): Millis {
  if (window.kind === 'month') return computeMonthEnd(now, window.anchor);
  return age < 0 ? now : findSlotExpiry(computeSlot(now, window.seconds) - age, window.seconds);
}

/**
 * Encodes a group for `COMMIT_SCRIPT`.
 * @param clock time that determines the current months
 * @returns `names` of the keys in Redis, without that of the revision, in the order of their numbers in the plan
 * @throws RangeError if a cost is not a whole number from 0 to 2^53 - 1, or if a key has two different windows
 */
export function encodeGroup(
  attempts: readonly Attempt[],
  clock: Millis,
  settlements: readonly Settlement[] = NO_SETTLEMENTS,
): { names: string[]; plan: string } {
  const windows = new NumberedWindows(clock);
  const numbers = new Map<string, number>();
  /** The number of the window of each counter. */
  const counters: number[] = [];
  const encoded = attempts.map((attempt) => {
    const { cost, meters } = attempt;
    const numbered: (number | readonly number[])[] = [listCosts(attempt) ?? cost];
    for (const { key, window, limit, unlimited } of meters) {
      const ofWindow = windows.findNumber(window);
      let number = numbers.get(key);
      if (number === undefined) {
        number = counters.push(ofWindow);
        numbers.set(key, number);
      } else if (counters[number - 1] !== ofWindow) throw new RangeError('One key has one window.');
      numbered.push(number, unlimited === true ? -1 : limit);
    }
    return numbered;
  });
  const names = Array.from(numbers.keys(), (key) => PREFIX + key);
  const plan = { windows: windows.all, counters, attempts: encoded };
  if (settlements.length === 0) return { names, plan: JSON.stringify(plan) };
  /** Adds a name. @returns its number in KEYS, which begins with the revision */
  const add = (name: string) => names.push(name) + 1;
  const encodedSettlements = settlements.map(({ id, charges, keptFor }) => {
    const corrected = charges.filter(({ cost, used = 0 }) => used !== cost);
    return [
      add(buildSettlementKey(id)),
      keptFor,
      ...corrected.map((charge) => [add(PREFIX + charge.key), ...encodeCharge(charge, clock)]),
    ];
  });
  return { names, plan: JSON.stringify({ ...plan, settlements: encodedSettlements }) };
}

/** Encodes a charge for `SETTLE_FUNCTION`, without its key. */
function encodeCharge({ window, at, cost, used = 0 }: Charge, clock: Millis): number[] {
  const hits = [Math.max(0, cost - used), Math.max(0, used - cost)];
  if (window.kind === 'sliding') return [window.seconds, computeSlot(at, window.seconds), ...hits];
  const { anchor } = window;
  const month = computeCalendarMonth(clock, anchor);
  return [
    0,
    computeCalendarMonth(at, anchor),
    ...hits,
    month,
    computeStartOfMonth(month, anchor),
    computeStartOfMonth(month + 1, anchor),
  ];
}

/** The different windows of a group, numbered from 1. */
class NumberedWindows {
  /** The windows in the form of the plan. */
  readonly all: number[][] = [];
  readonly #numbers = new Map<number, number>();

  constructor(private readonly clock: Millis) {}

  findNumber(window: Window): number {
    const code = encodeWindow(window);
    const existing = this.#numbers.get(code);
    if (existing !== undefined) return existing;
    const number = this.all.push(window.kind === 'month' ? this.#readMonth(window) : [window.seconds]);
    this.#numbers.set(code, number);
    return number;
  }

  /** Returns the number of the current month, its start and its end. */
  #readMonth({ anchor }: MonthWindow): number[] {
    const month = computeCalendarMonth(this.clock, anchor);
    return [0, month, computeStartOfMonth(month, anchor), computeStartOfMonth(month + 1, anchor)];
  }
}

/** Parses a sliding window in the reply of `READ_SCRIPT`. A missing or damaged key counts as empty. */
export function readStoredWindow(text: unknown): SlidingCounter {
  const slots = typeof text === 'string' && /^(?:\d+:\d+;)+$/.test(text) ? text : '';
  return createFromSlots([...slots.matchAll(/(\d+):(\d+);/g)].map(([, slot, count]) => [slot, count]));
}

/** Parses the pair of a month's count and the part that resets have subtracted. */
export function readStoredMonth(pair: unknown, month: number): MonthCounter {
  const [counts, floored]: unknown[] = Array.isArray(pair) ? pair : [];
  const floor = readCount(floored);
  return { kind: 'month', month, hits: floor + readCount(counts), floor };
}

/** Parses a stored count. A missing or damaged one counts as 0. */
function readCount(text: unknown): number {
  const count = Number(text ?? 0);
  return Number.isSafeInteger(count) ? count : 0;
}
