import type { Check } from '@/client/api';
import type { CheckAnswer } from '@/client/check-answer';

/** Maximum number of stored refusals. The oldest is evicted first. */
const MAX_REFUSALS = 10_000;

/** Refusals that still apply. The same check is refused without a request until the server's retry time. */
export class RememberedRefusals {
  readonly #until = new Map<string, { until: number; answer: CheckAnswer }>();

  /** @param longest maximum age of a refusal, in seconds */
  constructor(
    private readonly longest = Number.POSITIVE_INFINITY,
    private readonly maximum = MAX_REFUSALS,
  ) {}

  /** @param now in milliseconds */
  find(check: Check, now: number): CheckAnswer | null {
    if (this.#until.size === 0) return null;
    const key = buildKey(check);
    const remembered = this.#until.get(key);
    if (remembered === undefined) return null;
    if (remembered.until > now) {
      return { ...remembered.answer, status: 'remembered', retry_after: Math.ceil((remembered.until - now) / 1000) };
    }
    this.#until.delete(key);
    return null;
  }

  /**
   * Stores a refusal by a limit. An outage is not a refusal, so it is not stored. Neither is the refusal of a named
   * limit, because a settlement may give units and places back at any time.
   */
  keep(check: Check, answer: CheckAnswer, now: number): void {
    const { allowed, retry_after, error, limit_name } = answer;
    if (allowed || retry_after === undefined || error === 'service_unavailable' || limit_name !== undefined) return;
    const key = buildKey(check);
    this.#until.delete(key);
    this.#until.set(key, { until: now + Math.min(retry_after, this.longest) * 1000, answer });
    if (this.#until.size <= this.maximum) return;
    const [oldest] = this.#until.keys();
    if (oldest !== undefined) this.#until.delete(oldest);
  }
}

/** Joins every field that a decision depends on. */
function buildKey(check: Check): string {
  const { class: name, method, path, ip, user_id, api_key, client_id, client_type, cost, preflight, limits } = check;
  const route = name === undefined ? [method, path] : [];
  return JSON.stringify([name, ip, user_id, api_key, client_id, client_type, cost, preflight, limits, ...route]);
}
