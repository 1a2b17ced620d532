import type { Check } from '@/client/api';
import type { CheckAnswer } from '@/client/check-answer';

/** Refusals that are kept at a time; the oldest goes first. */
const MAX_REFUSALS = 10_000;

/** Refusals that still hold. The same check is refused again without asking, until the server said to come back. */
export class RememberedRefusals {
  readonly #until = new Map<string, { until: number; answer: CheckAnswer }>();

  /** @param longest seconds that a refusal is kept at most */
  constructor(
    private readonly longest = Number.POSITIVE_INFINITY,
    private readonly maximum = MAX_REFUSALS,
  ) {}

  /** @param now in milliseconds */
  of(check: Check, now: number): CheckAnswer | null {
    if (this.#until.size === 0) return null;
    const key = keyOf(check);
    const kept = this.#until.get(key);
    if (kept === undefined) return null;
    if (kept.until > now) {
      return { ...kept.answer, status: 'remembered', retry_after: Math.ceil((kept.until - now) / 1000) };
    }
    this.#until.delete(key);
    return null;
  }

  /** Keeps a refusal by a limit; a server that is down has refused nobody. */
  keep(check: Check, answer: CheckAnswer, now: number): void {
    const { allowed, retry_after, error } = answer;
    if (allowed || retry_after === undefined || error === 'service_unavailable') return;
    const key = keyOf(check);
    this.#until.delete(key);
    this.#until.set(key, { until: now + Math.min(retry_after, this.longest) * 1000, answer });
    if (this.#until.size <= this.maximum) return;
    const [oldest] = this.#until.keys();
    if (oldest !== undefined) this.#until.delete(oldest);
  }
}

/** Everything that a decision depends on. */
function keyOf(check: Check): string {
  const { class: name, method, path, ip, user_id, api_key, client_id, client_type, cost, preflight } = check;
  const route = name === undefined ? [method, path] : [];
  return JSON.stringify([name, ip, user_id, api_key, client_id, client_type, cost, preflight, ...route]);
}
