import type { Check, EndpointClass, RouteRule } from '@/client/api';
import { classOf, isClass, routeOf } from '@/client/check-answer';
import type { Classify } from '@/client/classify-by-rules';
import { readingsOf } from '@/lib/enforcement/path-readings';
import { compareStrictness } from '@/lib/enforcement/usual-class';

/** Routes whose class is kept at a time; the one that was answered longest ago goes first. */
const MAX_ROUTES = 2_000;

/**
 * The classes of checks that name none, as far as they are known here: the server has answered one for this method and path,
 * else by the route rules, else by the defaults.
 */
export class KnownClasses {
  /** Of routes where the server has answered another class than `#classify`. */
  readonly #answered = new Map<string, EndpointClass>();
  #classify: Classify = (method, path) => ({ class: classOf({ method, path }), cost: 1 });
  #loading: Promise<void> | null = null;

  constructor(
    rules?: readonly RouteRule[],
    private readonly maximum = MAX_ROUTES,
  ) {
    if (rules === undefined) return;
    // Few programs have them, and what matches them is half as large as the rest.
    this.#loading = import('@/client/classify-by-rules')
      .then(({ classifyByRules }) => {
        this.#classify = classifyByRules(rules);
      })
      .catch((error: unknown) => console.warn('Sluice cannot load what matches route rules:', error))
      .finally(() => {
        this.#loading = null;
      });
  }

  /** Until the route rules can be matched; null once they can. Never rejects. */
  get loading(): Promise<void> | null {
    return this.#loading;
  }

  learn(check: Check, answered: EndpointClass): void {
    if (isClass(check.class) || !isClass(answered)) return;
    const [method, path] = routeOf(check);
    const isNews = this.#classify(method, path).class !== answered;
    if (!isNews && this.#answered.size === 0) return;
    const key = keyOf(method, path);
    this.#answered.delete(key);
    if (!isNews) return;
    this.#answered.set(key, answered);
    if (this.#answered.size <= this.maximum) return;
    const [oldest] = this.#answered.keys();
    if (oldest !== undefined) this.#answered.delete(oldest);
  }

  /** The check with its class, and the cost of its route rule. */
  complete(check: Check): Check {
    if (isClass(check.class)) return check;
    const [method, path] = routeOf(check);
    const { class: usual, cost } = this.#classify(method, path);
    return { ...check, cost: check.cost ?? cost, class: this.#answeredFor(method, path, usual) };
  }

  /** A path that the server has not answered has the strictest class of those that are cached for its readings. */
  #answeredFor(method: string, path: string, usual: EndpointClass): EndpointClass {
    const same = this.#answered.get(keyOf(method, path));
    if (same !== undefined || this.#answered.size === 0) return same ?? usual;
    return readingsOf(path)
      .map((reading) => this.#answered.get(keyOf(method, reading)) ?? usual)
      .reduce((one, other) => (compareStrictness(one, other) < 0 ? one : other));
  }
}

function keyOf(method: string, path: string): string {
  return `${method} ${path}`;
}
