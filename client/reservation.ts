/* Loaded with the first reservation, so that programs that only check do not load it. */
import type { Settlement } from '@/client/api';
import type { CheckAnswer } from '@/client/check-answer';
import type { Clock } from '@/client/clock';
import { buildError, SluiceError } from '@/client/error';
import type { Ask, Received } from '@/client/exchange';
import { parseErrorBody } from '@/client/transport';

/** Units that were really used, by the name of the limit. */
export type UsedCosts = Readonly<Record<string, number>>;

/** Reservation of a check: units of named limits, and places in flight. */
export class Reservation {
  #settled: Promise<boolean> | null = null;

  /** @internal */
  constructor(
    readonly answer: CheckAnswer,
    private readonly sluice: { settle(id: string, costs: UsedCosts): Promise<unknown> },
    private readonly report: (id: string, error: SluiceError) => void,
  ) {}

  get allowed(): boolean {
    return this.answer.allowed;
  }

  /**
   * Replaces the reserved units by the units that were used, and frees the places. A limit that `costs` does not name
   * keeps its reserved units. Only the first call counts; later calls return its result. Never rejects.
   * @returns whether the server has settled it. False for a refused, bypassed or degraded request, which reserves
   * nothing at the server, and after an error, which is reported to `onEvent`
   * @example
   * await reservation.settle({ tokens: usage.total_tokens });
   */
  settle(costs: UsedCosts = {}): Promise<boolean> {
    this.#settled ??= this.#settleOnce(costs);
    return this.#settled;
  }

  async #settleOnce(costs: UsedCosts): Promise<boolean> {
    const { id } = this.answer;
    if (id === undefined) return false;
    try {
      await this.sluice.settle(id, costs);
      return true;
    } catch (thrown) {
      this.report(id, thrown instanceof SluiceError ? thrown : new SluiceError('unreachable', String(thrown)));
      return false;
    }
  }
}

interface SendOptions {
  ask: Ask;
  clock: Clock;
  /** Timeout of a check, in milliseconds. */
  timeout: number;
}

/** Milliseconds before each further attempt. */
const DELAYS = [250, 1_000, 4_000];
/** Minimum wait for one answer, in milliseconds. No request waits for it. */
const TIMEOUT = 1_000;

/**
 * Settles what a check has reserved. It is sent again if no answer arrives or the store is down, because a settlement
 * counts once however often it is sent.
 * @throws SluiceError for any answer but success: `not_found`, `conflict`, `invalid_request`, or of the last attempt
 */
export async function sendSettlement(settlement: Settlement, options: SendOptions): Promise<{ settled: true }> {
  const body = JSON.stringify(settlement);
  for (let attempt = 0; ; attempt += 1) {
    try {
      const received = await askOnce(body, options);
      if (received.status !== 200) throw buildError(received, parseErrorBody(received.text));
      return { settled: true };
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      // An earlier attempt was settled, but its answer was lost.
      if (attempt > 0 && error.code === 'conflict') return { settled: true };
      const delay = DELAYS[attempt];
      if (delay === undefined || (error.status > 0 && error.status < 500)) throw error;
      await new Promise<void>((resolve) => options.clock.after(delay, resolve));
    }
  }
}

/** @throws SluiceError `unreachable`, `timeout` */
function askOnce(body: string, { ask, clock, timeout }: SendOptions): Promise<Received> {
  const longest = Math.max(timeout, TIMEOUT);
  return new Promise((resolve, reject) => {
    let cancel = () => {};
    const cancelTimer = clock.after(longest, () => {
      reject(new SluiceError('timeout', `The server did not answer within ${longest} ms.`));
      cancel();
    });
    ask('/v1/settle', body, (abort) => {
      cancel = abort;
    })
      .then(resolve, reject)
      .finally(cancelTimer);
  });
}
