import { randomUUID } from 'node:crypto';
import type { ResultSet } from '@libsql/client';
import { ADD, FORGET_SETTLED, REMEMBER_SETTLEMENTS, TAKE_BACK } from '@/lib/counters/remote/statements';
import type { Settlement } from '@/lib/counters/store';
import type { Charge } from '@/lib/limiter/corrections';
import { encodeWindow } from '@/lib/limiter/month-anchor';
import { computeCalendarMonth, computeSlot, SLOTS } from '@/lib/limiter/window';

interface Statement {
  readonly sql: string;
  readonly args: (string | number)[];
}

/** The settlements of a group, as statements of its batch. */
interface SettlementBatch {
  readonly statements: Statement[];
  /** Returns whether each settlement was the first with its id. @param results results of the statements */
  read(results: readonly ResultSet[]): boolean[];
}

/**
 * Builds the statements that settle a group: one records the ids, and two for each round correct the counters (see
 * `splitRounds`).
 */
export function buildSettlement(revision: number, settlements: readonly Settlement[]): SettlementBatch {
  if (settlements.length === 0) return { statements: [], read: () => [] };
  const call = randomUUID();
  const byId = new Map(settlements.toReversed().map((settlement) => [settlement.id, settlement]));
  const first = settlements.filter((settlement) => byId.get(settlement.id) === settlement);
  const ids = JSON.stringify(first.map(({ id, keptFor }) => [id, keptFor]));
  const statements: Statement[] = [
    { sql: REMEMBER_SETTLEMENTS, args: [revision, call, ids] },
    // More are deleted than recorded, so the table stays small.
    { sql: FORGET_SETTLED, args: [2 * first.length] },
  ];
  for (const { unused, additional } of splitRounds(first)) {
    if (unused.length > 0) statements.push({ sql: TAKE_BACK, args: [call, JSON.stringify(unused)] });
    if (additional.length > 0) statements.push({ sql: ADD, args: [call, JSON.stringify(additional)] });
  }
  return {
    statements,
    read: ([remembered]) => {
      const recorded = new Set(remembered?.rows.map((row) => row[0]));
      return settlements.map((settlement) => byId.get(settlement.id) === settlement && recorded.has(settlement.id));
    },
  };
}

/** Charges that one statement can apply, in the form of `TAKE_BACK` and `ADD`. */
interface Round {
  readonly unused: (string | number)[][];
  readonly additional: (string | number)[][];
}

/**
 * Sorts charges into rounds. A charge comes after the earlier ones of its counter, and joins them if all of them correct
 * the same slot in the same direction.
 */
function splitRounds(settlements: readonly Settlement[]): Round[] {
  const rounds: Round[] = [];
  const latest = new Map<string, { round: number; kind: string }>();
  for (const { id, charges } of settlements) {
    for (const charge of charges) {
      const { key, window, cost, used = 0 } = charge;
      if (used === cost) continue;
      const [slot, reach] = findSlot(charge);
      const kind = used > cost ? `add ${encodeWindow(window)}` : `take ${slot}`;
      const before = latest.get(key);
      const number = before === undefined ? 0 : before.kind === kind ? before.round : before.round + 1;
      latest.set(key, { round: number, kind });
      rounds[number] ??= { unused: [], additional: [] };
      if (used > cost) rounds[number].additional.push([id, key, encodeWindow(window), used - cost]);
      else rounds[number].unused.push([id, key, slot, reach, cost - used]);
    }
  }
  return rounds;
}

/** Returns the slot in which hits were counted, and how many earlier slots can hold them. */
function findSlot({ window, at }: Charge): [slot: number, reach: number] {
  return window.kind === 'month'
    ? [computeCalendarMonth(at, window.anchor), 0]
    : [computeSlot(at, window.seconds), SLOTS];
}
