import type { Check, EndpointClass, RouteRule } from '@/client/api';
import { isByLimitsOnly, isClass, readClass, readRoute } from '@/client/check-answer';
import type { Classify } from '@/client/classify-by-rules';
import { listReadings } from '@/lib/enforcement/path-readings';
import { compareStrictness } from '@/lib/enforcement/usual-class';

/** Maximum number of routes with a cached class. The least recently answered one is evicted first. */
const MAX_ROUTES = 2_000;

/**
 * Classes of checks that name none. The server's last answer for the method and path comes first, then the route rules,
 * then the defaults.
 */
export class CachedClasses {
  /** Routes for which the server answered another class than `#classify`. */
  readonly #answered = new Map<string, EndpointClass>();
  #classify: Classify = (method, path) => ({ class: readClass({ method, path }), cost: 1 });
  #loading: Promise<void> | null = null;

  constructor(
    rules?: readonly RouteRule[],
    private readonly maximum = MAX_ROUTES,
  ) {
    if (rules === undefined) return;
    // Loaded on demand, because few programs have route rules and the matcher is half the size of the rest.
    this.#loading = import('@/client/classify-by-rules')
      .then(({ classifyByRules }) => {
        this.#classify = classifyByRules(rules);
      })
      .catch((error: unknown) => console.warn('Sluice cannot load what matches route rules:', error))
      .finally(() => {
        this.#loading = null;
      });
  }

  /** Pending until the route rules can be matched, then null. Never rejects. */
  get loading(): Promise<void> | null {
    return this.#loading;
  }

  recordClass(check: Check, answered: EndpointClass | null): void {
    if (isClass(check.class) || !isClass(answered)) return;
    const [method, path] = readRoute(check);
    const isNews = this.#classify(method, path, check).class !== answered;
    if (!isNews && this.#answered.size === 0) return;
    const key = buildKey(method, path);
    this.#answered.delete(key);
    if (!isNews) return;
    this.#answered.set(key, answered);
    if (this.#answered.size <= this.maximum) return;
    const [oldest] = this.#answered.keys();
    if (oldest !== undefined) this.#answered.delete(oldest);
  }

  /** Adds the class, the cost and the named limits of its route rule to a check. */
  complete(check: Check): Check {
    if (isClass(check.class) || isByLimitsOnly(check)) return check;
    const [method, path] = readRoute(check);
    const { class: usual, cost, limits } = this.#classify(method, path, check);
    const completed = { ...check, cost: check.cost ?? cost, class: this.#findAnswered(method, path, usual) };
    return limits === undefined ? completed : { ...completed, limits };
  }

  /**
   * Returns the cached class of a path. A path without one gets the strictest cached class of its possible readings.
   */
  #findAnswered(method: string, path: string, usual: EndpointClass): EndpointClass {
    const same = this.#answered.get(buildKey(method, path));
    if (same !== undefined || this.#answered.size === 0) return same ?? usual;
    return listReadings(path)
      .map((reading) => this.#answered.get(buildKey(method, reading)) ?? usual)
      .reduce((one, other) => (compareStrictness(one, other) < 0 ? one : other));
  }
}

function buildKey(method: string, path: string): string {
  return `${method} ${path}`;
}
