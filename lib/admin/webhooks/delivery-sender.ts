import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { and, eq, isNull } from 'drizzle-orm';
import { webhooks } from '@/drizzle/alerts-schema';
import { type Attempting, type AttemptOutcome, attempt } from '@/lib/admin/webhooks/attempt';
import { disableGoneWebhook } from '@/lib/admin/webhooks/disable-gone';
import { type Claimed, claimDue, listDueChannels, settle } from '@/lib/admin/webhooks/queue';
import { listUnreadableParts } from '@/lib/auth/webhook-secrets';
import type { Services } from '@/lib/operation/services';

/** Concurrent attempts of one process to one receiver. The limit keeps a hanging receiver from delaying the others. */
const MOST_TO_ONE = 4;

/** Longest wait for answers when the process stops, in milliseconds. */
const LAST_WAIT = 1_500;

type Send = (claimed: Claimed, attempting: Attempting) => Promise<AttemptOutcome>;

/** Sends due deliveries. Each process has one sender. */
export class DeliverySender {
  /** Number of attempts in progress, by channel. */
  readonly #underWay = new Map<string, number>();
  readonly #attempts = new Set<Promise<void>>();

  constructor(private readonly services: Pick<Services, 'database' | 'config' | 'authSecret' | 'clock' | 'logger'>) {}

  /**
   * Claims due deliveries and starts to send them. Does not wait for the answers.
   * @returns the number of attempts started
   * @throws DatabaseUnavailable
   */
  async sendDue(): Promise<number> {
    const { database, clock } = this.services;
    let begun = 0;
    for (const channel of await listDueChannels(database, clock())) {
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

  /** Resolves when no attempt is in progress. */
  async waitUntilSettled(): Promise<void> {
    while (this.#attempts.size > 0) await Promise.all(this.#attempts);
  }

  /** Waits briefly for attempts in progress. An interrupted delivery is sent again after its lease expires. */
  async stop(): Promise<void> {
    await Promise.race([this.waitUntilSettled(), wait(LAST_WAIT, undefined, { ref: false })]);
  }

  /** Creates the function that sends to a channel. Null if the channel cannot receive now. */
  async #sendTo(channel: string): Promise<Send | null> {
    const { drizzle } = this.services.database;
    const there = and(eq(webhooks.id, channel), isNull(webhooks.removedAt), eq(webhooks.enabled, true));
    const [row] = await drizzle.select().from(webhooks).where(there);
    // A webhook encrypted with another AUTH_SECRET waits for an instance that has it, or until it is set again.
    if (row === undefined || listUnreadableParts(row, this.services.authSecret).length > 0) return null;
    return async ({ event }, attempting) => {
      const outcome = await attempt(row, event, attempting);
      await disableGoneWebhook(this.services, row, outcome.status);
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
