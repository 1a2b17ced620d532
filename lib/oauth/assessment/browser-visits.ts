import { readParameters } from '@/lib/oauth/assessment/outcomes';
import type { WantedVisit } from '@/lib/oauth/assessment/target';

interface OpenVisit extends WantedVisit {
  end: (back: string | null) => void;
}

/** Consecutive visits without a return after which no more are requested. */
const MOST_UNANSWERED = 3;
/** Shortest prefix of a state that counts as a match, for servers that shorten it. */
const SHORTEST_STATE = 8;

/** Returns the states of a request. Returns none if it was pushed (RFC 9126) or is in a request object (RFC 9101). */
function listStates({ url }: Pick<WantedVisit, 'url'>): readonly string[] {
  const { searchParams } = new URL(url);
  if (searchParams.has('request_uri') || searchParams.has('request')) return [];
  return searchParams.has('state') ? searchParams.getAll('state') : [''];
}

/** Returns why an address cannot be the callback of a visit, as a sentence. Returns null if it can. */
export function explainWrongCallback(visit: Pick<WantedVisit, 'url' | 'redirectUri'>, back: string): string | null {
  if (!URL.canParse(back) || !URL.canParse(visit.redirectUri)) return 'It is not an address.';
  const [returned, registered] = [new URL(back), new URL(visit.redirectUri)];
  if (returned.origin !== registered.origin || returned.pathname !== registered.pathname) {
    return 'It is not the redirect URI of the client: copy the address that the browser returned to.';
  }
  const states = listStates(visit);
  const { state = '' } = readParameters(back);
  const isOne = states.some((sent) => state === sent || (state.length >= SHORTEST_STATE && sent.startsWith(state)));
  if (states.length === 0 || isOne) return null;
  return 'It answers another request: its state is not the one that was sent.';
}

/**
 * Visits by the browser of the person who signs in. Probes request visits one at a time. The reader of the assessment's
 * events sends the browser there, and submits the address that it returned to. An address is accepted if it is the
 * redirect URI of the open visit, carries the state of the request, and was not submitted before.
 */
export class BrowserVisits {
  readonly #answered = new Set<string>();
  readonly #earlierStates = new Set<string>();
  readonly #waiting: WantedVisit[] = [];
  #reader: ((visit: WantedVisit) => void) | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #open: OpenVisit | undefined;
  #closed = false;
  #unanswered = 0;

  /**
   * Requests a visit. Returns null if the browser did not return, or the visits were closed. It also returns null for
   * an address that is not http or https, because a server could name a script as its endpoint.
   */
  visit(wanted: WantedVisit): Promise<string | null> {
    if (!/^https?:/i.test(wanted.url)) return Promise.resolve(null);
    const back = this.#turn.then(() => this.#ask(wanted));
    this.#turn = back;
    return back;
  }

  #ask(wanted: WantedVisit): Promise<string | null> {
    if (this.#closed || this.#unanswered >= MOST_UNANSWERED) return Promise.resolve(null);
    return new Promise((resolve) => {
      const end = (back: string | null) => {
        this.#open = undefined;
        this.#unanswered = back === null ? this.#unanswered + 1 : 0;
        for (const state of listStates(wanted)) this.#earlierStates.add(state);
        resolve(back);
      };
      this.#open = { ...wanted, end };
      if (this.#reader === undefined) this.#waiting.push(wanted);
      else this.#reader(wanted);
      this.#reader = undefined;
    });
  }

  /** Returns the next requested visit. Only one caller at a time. */
  waitForVisit(): Promise<WantedVisit> {
    const visit = this.#waiting.shift();
    if (visit !== undefined) return Promise.resolve(visit);
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  /**
   * Submits the address that the browser returned to, or null if it did not return.
   * @returns false if no visit is open, or the address does not answer it
   */
  answer(url: string | null): boolean {
    const open = this.#open;
    if (open === undefined || (url !== null && !this.#isAnswer(open, url))) return false;
    if (url !== null) this.#answered.add(url);
    open.end(url);
    return true;
  }

  #isAnswer(open: OpenVisit, url: string): boolean {
    if (this.#answered.has(url) || explainWrongCallback(open, url) !== null) return false;
    return listStates(open).length > 0 || !this.#earlierStates.has(readParameters(url).state ?? '');
  }

  /** Ends the open visit and refuses all others. */
  close(): void {
    this.#closed = true;
    this.#open?.end(null);
  }
}
