import { redactTokens } from '@/lib/logging/redact-tokens';
import type { DecisionEvent } from '@/lib/statistics/decision-event';

/** Rows added to the decisions log per second. Further decisions are added to rows that exist. */
export const KEPT_PER_SECOND = 100;
/** Rows of one identifier among these, so that an attacker does not displace all others from the log. */
export const KEPT_PER_IDENTIFIER = 10;
/** Most rows that wait while the database is down. The oldest are dropped. */
const MOST_WAITING = 2_000;
const LONGEST_TEXT = 512;

/** A row of the log, with the number of decisions that it stands for. */
interface Row {
  event: DecisionEvent;
  count: number;
  /** True once the row is written or dropped. Later decisions need another row. */
  isGone: boolean;
}

/** Fields that no decision of a row may lack: the counts of the statistics are by them. */
const CELL = ['class', 'outcome', 'reason', 'subjectType', 'limitName'] as const;
/** Further fields that filters read. They are null in a row whose decisions differ in them. */
const DETAILS = [
  ...(['identifier', 'source', 'sourceId'] as const),
  ...(['method', 'path', 'ip', 'userId', 'apiKeyId'] as const),
];

/**
 * Refusals, bypasses and degraded decisions that wait to be written to the decisions log. A flood does not get a row
 * for each decision, but the counts of the rows add up to all decisions. Without room for another row, a decision joins
 * an equal one, else another one of its caller, else one of all other callers.
 */
export class NotableDecisions {
  readonly #waiting: Row[] = [];
  #second = 0;
  #rowCount = 0;
  readonly #rowsOf = new Map<string, Row[]>();
  /** Rows of this second for decisions that no row of their caller can hold. */
  #ofOthers: Row[] = [];
  /** Decisions without a separate row. */
  skipped = 0;

  /** @param hide removes secrets from path and request id, which the client chooses */
  constructor(private readonly hide: (text: string) => string = redactTokens) {}

  add(event: DecisionEvent): void {
    const second = Math.floor(event.at / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#rowCount = 0;
      this.#rowsOf.clear();
      this.#ofOthers = [];
    }
    const identifier = event.identifier ?? '';
    const rows = this.#rowsOf.get(identifier) ?? [];
    const isRoom = this.#rowCount < KEPT_PER_SECOND;
    if (!(isRoom && rows.length < KEPT_PER_IDENTIFIER) && joinRow(rows, event)) {
      this.skipped += 1;
    } else if (isRoom) {
      this.#rowCount += 1;
      rows.push(this.#addRow(event));
      this.#rowsOf.set(identifier, rows);
    } else {
      this.skipped += 1;
      if (!joinRow(this.#ofOthers, event)) this.#ofOthers.push(this.#addRow(omitCaller(event)));
    }
  }

  #addRow(event: DecisionEvent): Row {
    const row = { event, count: 1, isGone: false };
    this.#waiting.push(row);
    if (this.#waiting.length <= MOST_WAITING) return row;
    const dropped = this.#waiting.shift();
    if (dropped !== undefined) dropped.isGone = true;
    this.skipped += 1;
    return row;
  }

  /** Removes and returns the oldest waiting rows, as rows for `addDecisions`. */
  take(most: number): (string | number | null)[][] {
    const hideSecrets = (text: string | null) => text && this.hide(text);
    return this.#waiting.splice(0, most).map((row) => {
      row.isGone = true;
      const { event, count } = row;
      const { at, outcome, reason, subjectType, identifier, method, path, ip, userId, apiKeyId, requestId } = event;
      const client = [method, hideSecrets(path), ip, userId].map(truncate);
      const subject = [subjectType, truncate(identifier)];
      const { refusedBy, cost, retryAfter, source, sourceId, limitName } = event;
      const limit = [refusedBy?.limit ?? null, refusedBy?.window ?? null, refusedBy?.used ?? null];
      const measured = [...limit, cost, retryAfter, refusedBy?.reset ?? null, source, sourceId, count, limitName];
      return [
        at,
        outcome,
        event.class ?? '',
        reason,
        ...subject,
        ...client,
        apiKeyId,
        hideSecrets(requestId),
        ...measured,
      ];
    });
  }
}

/**
 * Adds a decision to an equal row, else to the newest row of its class, outcome and reason.
 * @returns whether there is such a row
 */
function joinRow(rows: readonly Row[], event: DecisionEvent): boolean {
  let newest: Row | undefined;
  for (const row of rows) {
    if (row.isGone || !isAlike(row.event, event, CELL)) continue;
    newest = row;
    if (!isAlike(row.event, event, DETAILS)) continue;
    row.count += 1;
    return true;
  }
  if (newest === undefined) return false;
  newest.count += 1;
  newest.event = omitDifferences(newest.event, event);
  return true;
}

function isAlike(one: DecisionEvent, other: DecisionEvent, fields: readonly (keyof DecisionEvent)[]): boolean {
  return fields.every((field) => one[field] === other[field]);
}

/** Returns the first decision without the details that differ in the second. Allocates only if a detail differs. */
function omitDifferences(first: DecisionEvent, second: DecisionEvent): DecisionEvent {
  const different = DETAILS.filter((field) => first[field] !== null && first[field] !== second[field]);
  if (different.length === 0) return first;
  return { ...first, ...Object.fromEntries(different.map((field) => [field, null])) };
}

/** Returns a decision without its caller and its request. */
function omitCaller(event: DecisionEvent): DecisionEvent {
  const absent = Object.fromEntries(DETAILS.map((field) => [field, null]));
  return { ...event, ...absent, requestId: null, refusedBy: null, retryAfter: null };
}

function truncate(text: string | null): string | null {
  return text?.slice(0, LONGEST_TEXT) ?? null;
}
