import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { AuthorizationOutcome, TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import { isErrorPage, isSamePage } from '@/lib/oauth/assessment/shown-page';

/**
 * What a server made of a request that it should refuse, held against what it made of the same request in order. Only
 * an answer that differs in kind is a refusal: a wall, a fault or a page that both get leave the question open.
 */
export type Comparison = { kind: 'accepted' } | { kind: 'refused'; how: string } | { kind: 'undecided'; why: string };

const accepted: Comparison = { kind: 'accepted' };
const refused = (how: string): Comparison => ({ kind: 'refused', how });
const undecided = (why: string): Comparison => ({ kind: 'undecided', why });

/** Words by which a 403 of an authorization server differs from that of a firewall before it. */
const OAUTH_WORDS = /redirect|callback|client|oauth|invalid_|scope|grant|token|pkce|challenge/i;

/** Errors by which a server says in OAuth's words that it cannot answer now (RFC 6749 section 4.1.2.1). */
const FAULTS = new Set(['server_error', 'temporarily_unavailable']);

/** The request in order, with what else its server is known by. */
export interface AcceptedRequest {
  outcome: AuthorizationOutcome;
  /** The body of the bare 403 by which the server refuses an invented client id: no firewall knows those. */
  bare403: string | null;
}

/** Why an answer says nothing about the request: too many requests, a fault, a firewall. Null when it does. */
export function wallOf({ response: { status, body } }: Exchange): string | null {
  if (status === 429) return 'the server limits requests (429)';
  if (status >= 500) return `the server failed (${status})`;
  if (status === 403 && !OAUTH_WORDS.test(body)) return 'something in front of the server forbids the request (403)';
  return status === 408 || status === 407 || status === 451 ? `the answer is ${status}` : null;
}

/** Why an authorization request in order was not accepted; null where it was. A page that asks a person counts as such. */
export function whyNotInOrder(outcome: AuthorizationOutcome): string | null {
  if (outcome.kind === 'granted') return null;
  const wall = wallOf(outcome.exchange);
  if (wall !== null) return wall;
  if (outcome.kind === 'error') return outcome.error ?? `the answer is ${outcome.exchange.response.status}`;
  return isErrorPage(outcome.page) ? `the server shows an error page (${outcome.page.status})` : null;
}

/** Compares the answers of the authorization endpoint to a request in order and to one that must be refused. */
export function compareAuthorizations(
  { outcome: good, bare403 }: AcceptedRequest,
  bad: AuthorizationOutcome,
): Comparison {
  if (bad.kind === 'granted') return accepted;
  const { status, body } = bad.exchange.response;
  if (status === 403 && body === bare403) return refused('a bare 403');
  const wall = wallOf(bad.exchange);
  if (wall !== null) return undecided(wall);
  if (bad.kind === 'error') {
    return FAULTS.has(bad.error ?? '') ? undecided(`the server says ${bad.error}`) : refused(bad.error ?? 'an error');
  }
  if (good.kind === 'page' && isSamePage(good.page, bad.page)) {
    return undecided('the server shows the same page as for a valid request: only a signed-in session can tell');
  }
  if (isErrorPage(bad.page)) return refused(`an error page (${bad.page.status})`);
  return undecided('the server shows a page that is no refusal');
}

/** Compares a token response with the one in order, which issued tokens. */
export function compareTokens(bad: TokenOutcome): Comparison {
  if (bad.kind === 'issued') return accepted;
  if (bad.error !== null && !FAULTS.has(bad.error) && bad.status < 500 && bad.status !== 429) return refused(bad.error);
  if (bad.status === 400 || bad.status === 401) return refused(`status ${bad.status}`);
  return undecided(wallOf(bad.exchange) ?? `the answer is ${bad.status} and names no error`);
}

/** Compares the resource server's answer with the one to a token in order, which was accepted. */
export function compareAccess(bad: { accepted: boolean; exchange: Exchange }): Comparison {
  if (bad.accepted) return accepted;
  const { status } = bad.exchange.response;
  if (status === 400 || status === 401 || status === 403) return refused(`status ${status}`);
  return undecided(wallOf(bad.exchange) ?? `the answer is ${status}`);
}
