import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { AuthorizationOutcome, TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import { isErrorPage, isPromptPage, isSamePage, type ShownPage } from '@/lib/oauth/assessment/shown-page';

/**
 * The answer to a request that must be refused, compared with the answer to the valid request. Only an answer of a
 * different kind is a refusal. A firewall, a fault, or a page that both requests get decides nothing.
 */
export type Comparison = { kind: 'accepted' } | { kind: 'refused'; how: string } | { kind: 'undecided'; why: string };

const accepted: Comparison = { kind: 'accepted' };
const createRefused = (how: string): Comparison => ({ kind: 'refused', how });
const createUndecided = (why: string): Comparison => ({ kind: 'undecided', why });

/** Words that distinguish a 403 of an authorization server from one of a firewall. */
const OAUTH_WORDS = /redirect|callback|client|oauth|invalid_|scope|grant|token|pkce|challenge/i;

/** OAuth errors that mean that the server cannot answer now (RFC 6749 section 4.1.2.1). */
const FAULTS = new Set(['server_error', 'temporarily_unavailable']);

/** Some libraries answer what they do not support with 501, which refuses the request itself (RFC 9110 15.6.2). */
const isFault = (status: number): boolean => status >= 500 && status !== 501;

const FAILS_AGAIN = 'a fault, each time';

/**
 * Describes a fault that may be how the server refuses a request: 500, or the error `server_error`. Returns null for
 * every other answer. An overload (503) is never a refusal.
 */
export function describeFault(outcome: { exchange: Exchange; error?: string | null }): string | null {
  const { status } = outcome.exchange.response;
  // Words of a library may contain values of the request.
  const error = /^\w+$/.test(outcome.error ?? '') ? outcome.error : null;
  return status === 500 || (status < 500 && error === 'server_error') ? `${status} ${error}` : null;
}

/** The outcome of the valid request, with a sample of the server's refusals. */
export interface AcceptedRequest {
  outcome: AuthorizationOutcome;
  /**
   * Body of the bare 403 that refuses an invented client id. A firewall cannot recognise the id, so the server sent it.
   */
  bare403: string | null;
  /**
   * Page that the same request of an invented client gets, if no valid request gets a page like it. A script may make its
   * text, so that nothing else tells that it refuses.
   */
  refusal: ShownPage | null;
  /** True if only its scripts distinguish that page from those of valid requests. */
  isRefusedByScript: boolean;
}

/**
 * Returns why an answer is unrelated to the request: a rate limit, a fault, a firewall. Returns null if it is related.
 */
export function explainWall({ response: { status, body }, isOwn }: Exchange): string | null {
  if (status === 429) return 'the server limits requests (429)';
  if (isFault(status)) return `the server failed (${status})`;
  if (status === 403 && isOwn !== true && !OAUTH_WORDS.test(body))
    return 'something in front of the server forbids the request (403)';
  return status === 408 || status === 407 || status === 451 ? `the answer is ${status}` : null;
}

/**
 * Returns why an answer is not one of an authorization endpoint, or null if it is: a code, an OAuth error, a page that
 * asks, or a page that mentions the request.
 */
export function explainUnrelatedAnswer(outcome: AuthorizationOutcome): string | null {
  if (outcome.kind === 'granted' || (outcome.kind === 'error' && outcome.error !== null)) return null;
  const { status, body } = outcome.exchange.response;
  if (outcome.kind === 'page' && isPromptPage(outcome.page)) return null;
  return status !== 404 && OAUTH_WORDS.test(body)
    ? null
    : `the answer (${status}) is not one of an authorization endpoint`;
}

/**
 * Returns why a valid authorization request was not accepted, or null if it was. A login or consent page counts as
 * accepted.
 */
export function explainRefusal(outcome: AuthorizationOutcome): string | null {
  if (outcome.kind === 'granted') return null;
  const wall = explainWall(outcome.exchange);
  if (wall !== null) return wall;
  if (outcome.kind === 'error') return outcome.error ?? `the answer is ${outcome.exchange.response.status}`;
  return isErrorPage(outcome.page) ? `the server shows an error page (${outcome.page.status})` : null;
}

/** Compares the authorization endpoint's answer to a bad request with its answer to the valid one. */
export function compareAuthorizations(
  { outcome: good, bare403, refusal, isRefusedByScript }: AcceptedRequest,
  bad: AuthorizationOutcome,
): Comparison {
  if (bad.kind === 'granted') return accepted;
  const { status, body } = bad.exchange.response;
  if (status === 403 && body === bare403) return createRefused('a bare 403');
  if (bad.exchange.failsAgain === true) return createRefused(FAILS_AGAIN);
  const wall = explainWall(bad.exchange);
  if (wall !== null) return createUndecided(wall);
  if (bad.kind === 'error') {
    return FAULTS.has(bad.error ?? '')
      ? createUndecided(`the server says ${bad.error}`)
      : createRefused(bad.error ?? 'an error');
  }
  if (good.kind === 'page' && isSamePage(good.page, bad.page)) {
    return createUndecided('the server shows the same page as for a valid request: only a signed-in session can tell');
  }
  if (isErrorPage(bad.page)) return createRefused(`an error page (${bad.page.status})`);
  const isAlike = refusal !== null && isSamePage(refusal, bad.page);
  if (isAlike && (!isRefusedByScript || refusal.scriptText === bad.page.scriptText))
    return createRefused('the page that an invented client gets');
  return createUndecided('the server shows a page that is no refusal');
}

/** Statuses other than 400 and 401 by which web frameworks refuse a request, and which firewalls do not send. */
const OF_FRAMEWORKS = new Set([200, 404, 405, 409, 410, 415, 422]);

/** Returns whether a refusal is a JSON object without an OAuth error, as web frameworks write it. */
const hasOwnWords = ({ status, exchange }: TokenOutcome & { kind: 'refused' }): boolean =>
  (OF_FRAMEWORKS.has(status) || (status === 403 && explainWall(exchange) === null)) &&
  Object.keys(parseResponseJson(exchange)).length > 0;

/** Compares a token response with that of the valid request, which issued tokens. */
export function compareTokens(bad: TokenOutcome): Comparison {
  if (bad.kind === 'issued') return accepted;
  if (bad.exchange.failsAgain === true) return createRefused(FAILS_AGAIN);
  if (bad.error !== null && !FAULTS.has(bad.error) && !isFault(bad.status) && bad.status !== 429)
    return createRefused(bad.error);
  if (bad.status === 400 || bad.status === 401 || bad.exchange.isOwn === true || hasOwnWords(bad))
    return createRefused(`status ${bad.status}`);
  return createUndecided(explainWall(bad.exchange) ?? `the answer is ${bad.status} and names no error`);
}

/**
 * Compares the resource server's answer with that to a valid token, which was accepted. Applications often redirect to
 * their login page, or hide what exists.
 */
export function compareAccess(bad: { accepted: boolean; exchange: Exchange }): Comparison {
  if (bad.accepted) return accepted;
  if (bad.exchange.failsAgain === true) return createRefused(FAILS_AGAIN);
  const { status } = bad.exchange.response;
  const isRefusal = [400, 401, 403, 404].includes(status) || (status >= 200 && status < 400);
  return isRefusal
    ? createRefused(`status ${status}`)
    : createUndecided(explainWall(bad.exchange) ?? `the answer is ${status}`);
}
