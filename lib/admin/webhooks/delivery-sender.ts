import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { and, eq, isNull } from 'drizzle-orm';
import { webhooks } from '@/drizzle/alerts-schema';
import { type Attempting, type AttemptOutcome, attempt } from '@/lib/admin/webhooks/attempt';
import { disableGone } from '@/lib/admin/webhooks/disable-gone';
import { type Claimed, claimDue, dueChannels, settle } from '@/lib/admin/webhooks/queue';
import { unreadableOf } from '@/lib/auth/webhook-secrets';
import type { Services } from '@/lib/operation/services';

/** Attempts that one process makes at a time to one receiver: one that hangs does not hold up the others. */
const MOST_TO_ONE = 4;

/** How long a stop waits for answers, in milliseconds. */
const LAST_WAIT = 1_500;

type Send = (claimed: Claimed, attempting: Attempting) => Promise<AttemptOutcome>;

/** Sends what is due. One for each process. */
export class DeliverySender {
  /** Attempts under way, by channel. */
  readonly #underWay = new Map<string, number>();
  readonly #attempts = new Set<Promise<void>>();

  constructor(private readonly services: Pick<Services, 'database' | 'config' | 'authSecret' | 'clock' | 'logger'>) {}

  /**
   * Claims what is due and begins to send it. Does not wait for the answers.
   * @returns how many attempts it has begun
   * @throws DatabaseUnavailable
   */
  async sendDue(): Promise<number> {
    const { database, clock } = this.services;
    let begun = 0;
    for (const channel of await dueChannels(database, clock())) {
      const send = await this.#sendTo(channel);
      const most = MOST_TO_ONE - (this.#underWay.get(channel) ?? 0);
      if (send === null || most <= 0) continue;
      const claim = { channel, now: clock(), most, lease: randomUUID() };
      for (const claimed of await claimDue(database, claim)) {
        begun += 1;
        this.#begin(channel, claimed, send);
      }
    }
    return begun;
  }

  /** Resolves when no attempt is under way. */
  async settled(): Promise<void> {
    while (this.#attempts.size > 0) await Promise.all(this.#attempts);
  }

  /** Waits a moment for what is under way. What is cut off is sent again when its lease has run out. */
  async stop(): Promise<void> {
    await Promise.race([this.settled(), wait(LAST_WAIT, undefined, { ref: false })]);
  }

  /** Null where nothing may be sent to a channel now. */
  async #sendTo(channel: string): Promise<Send | null> {
    const { drizzle } = this.services.database;
    const there = and(eq(webhooks.id, channel), isNull(webhooks.removedAt), eq(webhooks.enabled, true));
    const [row] = await drizzle.select().from(webhooks).where(there);
    // What another AUTH_SECRET has sealed waits: for the instance that has it, or until it is set again.
    if (row === undefined || unreadableOf(row, this.services.authSecret).length > 0) return null;
    return async ({ event }, attempting) => {
      const outcome = await attempt(row, event, attempting);
      await disableGone(this.services, row, outcome.status);
      return outcome;
    };
  }

  #begin(channel: string, claimed: Claimed, send: Send): void {
    this.#underWay.set(channel, (this.#underWay.get(channel) ?? 0) + 1);
    const done = this.#make(claimed, send)
      .catch((error: unknown) => this.services.logger.warn({ err: error }, 'keeping what a webhook answered failed'))
      .finally(() => {
        this.#underWay.set(channel, (this.#underWay.get(channel) ?? 1) - 1);
        this.#attempts.delete(done);
      });
    this.#attempts.add(done);
  }

  async #make(claimed: Claimed, send: Send): Promise<void> {
    const { database, config, authSecret, clock } = this.services;
    const start = performance.now();
    const outcome = await send(claimed, { config, authSecret, now: clock() });
    const duration = performance.now() - start;
    await settle(database, claimed, outcome, { now: clock(), random: Math.random(), duration });
  }
}
