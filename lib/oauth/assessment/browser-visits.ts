import { parametersOf } from '@/lib/oauth/assessment/outcomes';
import type { WantedVisit } from '@/lib/oauth/assessment/target';

interface OpenVisit extends WantedVisit {
  /** The states of the request; none where it was pushed (RFC 9126) or is in a request object (RFC 9101). */
  states: readonly string[];
  end: (back: string | null) => void;
}

/** After so many visits in a row that did not come back no more are asked for. */
const MOST_UNANSWERED = 3;
/** A server that shortens a state must leave this much of it. */
const SHORTEST_STATE = 8;

/**
 * The browser of the person who signs in. The probes of an assessment ask for visits, one at a time; whoever reads its
 * events sends the browser there and hands in the address that it came back to. An address counts only when it is the
 * redirect URI of the open visit with the state of its request, and when it was not handed in before.
 */
export class BrowserVisits {
  readonly #answered = new Set<string>();
  readonly #earlierStates = new Set<string>();
  readonly #asked: WantedVisit[] = [];
  #reader: ((visit: WantedVisit) => void) | undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #open: OpenVisit | undefined;
  #closed = false;
  #unanswered = 0;

  /** Asks for a visit. Null when the browser did not come back, or nobody waits for it any more. */
  visit(wanted: WantedVisit): Promise<string | null> {
    const back = this.#turn.then(() => this.#ask(wanted));
    this.#turn = back;
    return back;
  }

  #ask(wanted: WantedVisit): Promise<string | null> {
    if (this.#closed || this.#unanswered >= MOST_UNANSWERED) return Promise.resolve(null);
    const { searchParams } = new URL(wanted.url);
    const isPushed = searchParams.has('request_uri') || searchParams.has('request');
    const states = isPushed ? [] : searchParams.has('state') ? searchParams.getAll('state') : [''];
    return new Promise((resolve) => {
      const end = (back: string | null) => {
        this.#open = undefined;
        this.#unanswered = back === null ? this.#unanswered + 1 : 0;
        for (const state of states) this.#earlierStates.add(state);
        resolve(back);
      };
      this.#open = { ...wanted, states, end };
      if (this.#reader === undefined) this.#asked.push(wanted);
      else this.#reader(wanted);
      this.#reader = undefined;
    });
  }

  /** The next visit that is asked for. One caller at a time. */
  next(): Promise<WantedVisit> {
    const asked = this.#asked.shift();
    if (asked !== undefined) return Promise.resolve(asked);
    return new Promise((resolve) => {
      this.#reader = resolve;
    });
  }

  /**
   * Hands in where the browser came back to; null when it did not.
   * @returns false when no visit is open, or this is not the answer to it
   */
  answer(url: string | null): boolean {
    const open = this.#open;
    if (open === undefined || (url !== null && !this.#isAnswer(open, url))) return false;
    if (url !== null) this.#answered.add(url);
    open.end(url);
    return true;
  }

  #isAnswer({ redirectUri, states }: OpenVisit, url: string): boolean {
    if (!URL.canParse(url) || !URL.canParse(redirectUri) || this.#answered.has(url)) return false;
    const [back, registered] = [new URL(url), new URL(redirectUri)];
    if (back.origin !== registered.origin || back.pathname !== registered.pathname) return false;
    const { state: given = '' } = parametersOf(url);
    if (states.length === 0) return !this.#earlierStates.has(given);
    return states.some((state) => given === state || (given.length >= SHORTEST_STATE && state.startsWith(given)));
  }

  /** Ends the open visit and refuses all others. */
  close(): void {
    this.#closed = true;
    this.#open?.end(null);
  }
}
