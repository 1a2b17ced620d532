import { type Exchange, findResponseHeader, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { listPageRedirects } from '@/lib/oauth/assessment/list-page-redirects';
import { isPromptPage, readFormPostResponse, readPage, type ShownPage } from '@/lib/oauth/assessment/shown-page';
import { WOULD_REDIRECT_HEADER } from '@/lib/oauth/lab/browser-answers';

/** Outcome of an authorization request. */
export type AuthorizationOutcome =
  | {
      kind: 'granted';
      parameters: Record<string, string>;
      /** Address that the browser was sent to, with its parameters. Null if the answer names none. */
      sentTo: string | null;
      verifier: string;
      lifetime: number | null;
      exchange: Exchange;
    }
  /** An OAuth error, sent to the redirect URI or as JSON. */
  | {
      kind: 'error';
      error: string | null;
      parameters: Record<string, string>;
      redirectedTo: string | null;
      exchange: Exchange;
    }
  /** Any page that a person would see: a login, a consent, an error page. */
  | { kind: 'page'; page: ShownPage; exchange: Exchange };

/** Outcome of a token request. */
export type TokenOutcome =
  | { kind: 'issued'; tokens: Tokens; exchange: Exchange }
  | { kind: 'refused'; status: number; error: string | null; exchange: Exchange };

export const isAccepted = (outcome: { kind: string }): boolean =>
  ['granted', 'issued', 'opened'].includes(outcome.kind);

/** A token response (RFC 6749 section 5.1). */
export interface Tokens {
  accessToken: string;
  refreshToken: string | null;
  idToken: string | null;
  expiresIn: number | null;
  scope: string | null;
  type: string;
}

const ISSUED = ['code', 'access_token', 'id_token'];
/** Returns whether parameters are a successful response. An error may carry a code that the redirect URI brought along. */
const isGrant = (parameters: Record<string, string>) =>
  parameters.error === undefined && ISSUED.some((name) => name in parameters);

/** Reads the answer of an authorization endpoint that answers a POST with JSON, as the lab does. */
export function readJsonResponse(exchange: Exchange, verifier: string): AuthorizationOutcome {
  const body = parseResponseJson(exchange);
  const target = typeof body.redirect_to === 'string' ? body.redirect_to : null;
  const parameters = { ...selectTexts(body), ...(target === null ? {} : readParameters(target)) };
  if (exchange.response.status === 200 && isGrant(parameters)) {
    const lifetime = typeof body.expires_in === 'number' ? body.expires_in : null;
    return { kind: 'granted', parameters, sentTo: target, verifier, lifetime, exchange };
  }
  return { kind: 'error', error: parameters.error ?? null, parameters, redirectedTo: target, exchange };
}

/** Reads the redirect or the page of an authorization endpoint (RFC 6749 section 4.1.2). */
export function readBrowser(exchange: Exchange, redirectUri: string, verifier: string): AuthorizationOutcome {
  const page = readPage(exchange);
  const location = findRedirect(exchange) ?? (isPromptPage(page) ? null : findRedirectByPage(exchange, redirectUri));
  const posted = location === null ? readFormPostResponse(page, redirectUri) : null;
  const parameters = posted ?? (location === null ? null : readParameters(location));
  if (parameters === null) return readErrorBody(exchange) ?? { kind: 'page', page, exchange };
  const sentTo = posted === null ? location : redirectUri;
  if (isGrant(parameters)) return { kind: 'granted', parameters, sentTo, verifier, lifetime: null, exchange };
  const isBack = posted !== null || (location?.startsWith(redirectUri.split('#')[0] ?? redirectUri) ?? false);
  if (!isBack && parameters.error === undefined) return { kind: 'page', page, exchange };
  return { kind: 'error', error: parameters.error ?? null, parameters, redirectedTo: sentTo, exchange };
}

/** Reads an OAuth error in JSON, as sent by servers without pages (RFC 6749 section 5.2). */
function readErrorBody(exchange: Exchange): AuthorizationOutcome | null {
  const { error } = parseResponseJson(exchange);
  if (typeof error !== 'string' || exchange.response.status < 400) return null;
  return { kind: 'error', error, parameters: {}, redirectedTo: null, exchange };
}

/**
 * Returns the address to which an answer sends a browser, or null. The lab sends no redirect to unregistered addresses,
 * but names them in a header.
 */
export function findRedirect(exchange: Exchange): string | null {
  const { status } = exchange.response;
  const location = status >= 300 && status < 400 ? findResponseHeader(exchange, 'location') : null;
  const target = location ?? findResponseHeader(exchange, WOULD_REDIRECT_HEADER);
  return target !== null && URL.canParse(target, exchange.request.url)
    ? new URL(target, exchange.request.url).href
    : null;
}

/**
 * Returns the address of the client to which a page or a JSON answer sends the browser with a response, or null. Some
 * servers send no redirect, because a script called them. Links are no redirects.
 */
function findRedirectByPage(exchange: Exchange, redirectUri: string): string | null {
  if (exchange.response.status >= 400) return null;
  const inJson = Object.values(parseResponseJson(exchange)).filter((value) => typeof value === 'string');
  const [address = ''] = redirectUri.split(/[?#]/);
  const isResponse = (url: string) => {
    const { code, error } = readParameters(url);
    return url.startsWith(address) && (code ?? error) !== undefined;
  };
  return [...inJson, ...listPageRedirects(exchange.response.body)].find(isResponse) ?? null;
}

/** Returns the parameters in the query and the fragment of an address. */
export function readParameters(url: string): Record<string, string> {
  if (!URL.canParse(url)) return {};
  const { searchParams, hash } = new URL(url);
  return { ...Object.fromEntries(searchParams), ...Object.fromEntries(new URLSearchParams(hash.slice(1))) };
}

/** Reads a token response. */
export function readTokens(exchange: Exchange): TokenOutcome {
  const body = parseResponseJson(exchange);
  const readText = (name: string) => (typeof body[name] === 'string' ? body[name] : null);
  const accessToken = readText('access_token');
  const { status } = exchange.response;
  if (status < 200 || status >= 300 || accessToken === null) {
    return { kind: 'refused', status, error: readText('error'), exchange };
  }
  const tokens = {
    accessToken,
    refreshToken: readText('refresh_token'),
    idToken: readText('id_token'),
    expiresIn: typeof body.expires_in === 'number' ? body.expires_in : null,
    scope: readText('scope'),
    type: readText('token_type') ?? '',
  };
  return { kind: 'issued', tokens, exchange };
}

function selectTexts(body: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
