import { and, gt, inArray } from 'drizzle-orm';
import { z } from 'zod';
import { audit } from '@/drizzle/schema';
import { derivedKey, seal, unseal } from '@/lib/auth/sealed';
import type { AuditAction, UndoAction } from '@/lib/contract/audit-actions';
import { REFUND_WITHIN } from '@/lib/contract/refund';
import type { CounterStore } from '@/lib/counters/store';
import type { Database } from '@/lib/db/database';
import type { Charged } from '@/lib/enforcement/decision';
import { buildQuotaKey } from '@/lib/enforcement/plan';
import { ApiError } from '@/lib/http/api-error';
import type { ApiKeyId } from '@/lib/ids';
import { isWithin, parseRange } from '@/lib/limiter/address';
import { counterPrefix } from '@/lib/limiter/counter-key';
import type { EndpointClass } from '@/lib/limiter/meter';
import { decodeWindow, encodeWindow } from '@/lib/limiter/month-anchor';
import type { Millis } from '@/lib/units';

interface RefundOptions {
  database: Pick<Database, 'drizzle'>;
  counters: Pick<CounterStore, 'settle'>;
  /** Time of the counter store, as this process estimates it. */
  clock: () => Millis;
  randomBytes: (size: number) => Uint8Array;
  authSecret: string;
}

/**
 * Content of an id: revision, time, cost, and the counters with their windows (see `encodeWindow`) and separate costs.
 */
const Sealed = z.tuple([z.int(), z.int(), z.int().min(0), z.array(z.tuple([z.string(), z.int()], z.int().min(0)))]);

/** Time for which a refund is remembered, in milliseconds. It is longer than the period in which refunds are possible. */
const REFUND_KEPT: Millis = 2 * REFUND_WITHIN * 1000;

/** Length of the nonce (12 bytes) at the start of an id. It is unique per id. */
const NONCE_LENGTH = 16;

/**
 * Refunds the cost of decisions. Nothing is stored until a refund: the id of a decision is a sealed list of its counts.
 * Any instance with the same authentication secret can therefore refund it.
 */
export class Refunds {
  readonly #sealing: { key: Uint8Array; place: string };

  constructor(private readonly options: RefundOptions) {
    this.#sealing = { key: derivedKey(options.authSecret, 'sluice refund'), place: 'decision' };
  }

  /** Returns the id by which a decision can be refunded. */
  createId({ revision, at, cost, counters }: Charged): string {
    // A key that several meters name was counted once, with the largest of their costs.
    const counted = new Map<string, [string, number, number]>();
    for (const { key, window, cost: own = cost } of counters)
      counted.set(key, [key, encodeWindow(window), Math.max(own, counted.get(key)?.[2] ?? 0)]);
    const windows = [...counted.values()].map(([key, code, own]) => (own === cost ? [key, code] : [key, code, own]));
    const text = JSON.stringify([revision, at, cost, windows]);
    return seal(text, this.#sealing, this.options.randomBytes);
  }

  /**
   * Refunds a request whose answer does not count. A request that is answered later than `REFUND_WITHIN` counts.
   * @throws like `refund`
   */
  async settle(charged: Charged, status: number): Promise<void> {
    const { counts = 'all', at } = charged;
    if (counts === 'all' || counts === (status >= 400 ? 'failures' : 'successes')) return;
    if (this.options.clock() - at <= REFUND_WITHIN * 1000) await this.refund(this.createId(charged));
  }

  /**
   * Refunds the counts of a decision. Counters that were reset since are skipped, because the reset has cleared them.
   * @throws ApiError not_found if the id is invalid or older than `REFUND_WITHIN`, conflict if it was refunded before
   * @throws StoreUnavailable
   */
  async refund(id: string): Promise<void> {
    const charged = this.#read(id);
    if (charged === null || this.options.clock() - charged.at > REFUND_WITHIN * 1000)
      throw new ApiError('not_found', `There is no such decision of the last ${REFUND_WITHIN} seconds.`);
    const resets = await this.#listResets(charged.revision);
    const { at, cost } = charged;
    const charges = charged.counters
      .filter(({ key }) => !resets.some((covers) => covers(key)))
      .map((counter) => ({ cost, ...counter, at }));
    if (!(await this.options.counters.settle(id.slice(0, NONCE_LENGTH), charges, REFUND_KEPT)))
      throw new ApiError('conflict', 'This decision was refunded before.');
  }

  #read(id: string): Charged | null {
    let text: string;
    try {
      text = unseal(id, this.#sealing);
    } catch {
      return null;
    }
    const [revision, at, cost, windows] = Sealed.parse(JSON.parse(text));
    const counters = windows.map(([key, code, own = cost]) => ({ key, window: decodeWindow(code), cost: own }));
    return { revision, at, cost, counters };
  }

  /**
   * Returns functions that match the counters that resets since a revision have cleared. A reset that was undone
   * matches none.
   */
  async #listResets(revision: number): Promise<((key: string) => boolean)[]> {
    const rows = await this.options.database.drizzle
      .select({ seq: audit.seq, action: audit.action, target: audit.target, after: audit.after, undoes: audit.undoes })
      .from(audit)
      .where(and(gt(audit.seq, revision), inArray(audit.action, RESETS)));
    const undone = new Set(rows.map(({ undoes }) => undoes));
    return rows
      .filter(({ seq, undoes }) => undoes === null && !undone.has(seq))
      .map(({ action, target, after }) => {
        if (action === 'quota.reset') return (key) => key === buildQuotaKey(target as ApiKeyId);
        const reset = readReset(after);
        // Nobody knows what it cleared, so nothing is given back.
        return reset === null ? () => true : matchCleared(reset);
      });
  }
}

/** Resets and their undo actions. The undo of a reset cannot be undone. */
const RESETS: (AuditAction | UndoAction)[] = [
  'counters.reset',
  'quota.reset',
  'counters.reset.undo',
  'quota.reset.undo',
];

/** `after` in the audit record of a reset of counters. */
const Reset = z.object({
  type: z.string(),
  identifier: z.string(),
  class: z.custom<EndpointClass>((value) => typeof value === 'string').nullish(),
  quota: z.boolean().optional(),
});

/** Reads the reset in an audit record. Null if it cannot be read. */
function readReset(after: string | null): z.output<typeof Reset> | null {
  try {
    return Reset.parse(JSON.parse(after ?? '{}'));
  } catch {
    return null;
  }
}

function matchCleared({ type, identifier, class: name, quota }: z.output<typeof Reset>): (key: string) => boolean {
  if (type === 'user_id') return (key) => key.startsWith(counterPrefix('user', identifier, name ?? undefined));
  if (type !== 'ip') {
    const prefix = counterPrefix('client', identifier);
    return (key) => key.startsWith(prefix) || (quota === true && key === buildQuotaKey(identifier as ApiKeyId));
  }
  const range = parseRange(identifier);
  return (key) => {
    const [kind, id = '', scope] = key.split('|');
    const counted = kind === 'ip' ? parseRange(id) : null;
    if (range === null || counted === null || (name != null && scope !== name)) return false;
    return isWithin(counted.first, range) || isWithin(range.first, counted);
  };
}
