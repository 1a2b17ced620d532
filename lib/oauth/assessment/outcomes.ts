import { type Exchange, responseHeader, responseJson } from '@/lib/oauth/assessment/exchange';
import { WOULD_REDIRECT_HEADER } from '@/lib/oauth/lab/browser-answers';

export type AuthorizationOutcome = { exchange: Exchange } & (
  | { kind: 'granted'; parameters: Record<string, string>; verifier: string; lifetime: number | null }
  | { kind: 'refused'; parameters: Record<string, string>; error: string | null; redirectedTo: string | null }
  /** A page for a person: a login or a consent. */
  | { kind: 'page' }
);

export type TokenOutcome =
  | { kind: 'issued'; tokens: Tokens; exchange: Exchange }
  | { kind: 'refused'; status: number; error: string | null; exchange: Exchange };

/** What came of presenting a token to the resource server; `broken` is a fault of the server. */
export interface ResourceOutcome {
  kind: 'opened' | 'refused' | 'broken';
  status: number;
  exchange: Exchange;
}

export const isAccepted = ({ kind }: { kind: string }): boolean => ['granted', 'issued', 'opened'].includes(kind);

/** A token response (RFC 6749 section 5.1). */
export interface Tokens {
  accessToken: string;
  refreshToken: string | null;
  idToken: string | null;
  expiresIn: number | null;
  scope: string | null;
  type: string;
}

const carriesGrant = (parameters: Record<string, string>): boolean =>
  'code' in parameters || 'access_token' in parameters;

/** Reads the answer of an authorization endpoint that answers a POST with JSON, as the lab does. */
export function readDirect(exchange: Exchange, verifier: string): AuthorizationOutcome {
  const body = responseJson(exchange);
  const target = typeof body.redirect_to === 'string' ? body.redirect_to : null;
  const parameters = { ...texts(body), ...(target === null ? {} : parametersOf(target)) };
  if (exchange.response.status === 200 && (carriesGrant(parameters) || 'id_token' in parameters)) {
    const lifetime = typeof body.expires_in === 'number' ? body.expires_in : null;
    return { kind: 'granted', parameters, verifier, lifetime, exchange };
  }
  return { kind: 'refused', error: parameters.error ?? null, parameters, redirectedTo: target, exchange };
}

/** Reads where an authorization endpoint sends a browser (RFC 6749 sections 4.1.2 and 4.2.2). */
export function readRedirect(exchange: Exchange, redirectUri: string, verifier: string): AuthorizationOutcome {
  const location = redirectOf(exchange);
  if (location === null && exchange.response.status < 400) return { kind: 'page', exchange };
  const back = location?.startsWith(redirectUri.split('#')[0] ?? redirectUri) ?? false;
  const parameters = location === null ? {} : parametersOf(location);
  if (back && carriesGrant(parameters)) return { kind: 'granted', parameters, verifier, lifetime: null, exchange };
  const error = parameters.error ?? null;
  if (location !== null && !back && error === null) return { kind: 'page', exchange };
  return { kind: 'refused', error, parameters, redirectedTo: back ? location : null, exchange };
}

/** Where an answer sends a browser, or null. The lab says in a header where it would send it and does not. */
export function redirectOf(exchange: Exchange): string | null {
  const { status } = exchange.response;
  const location = status >= 300 && status < 400 ? responseHeader(exchange, 'location') : null;
  const target = location ?? responseHeader(exchange, WOULD_REDIRECT_HEADER);
  return target !== null && URL.canParse(target, exchange.request.url)
    ? new URL(target, exchange.request.url).href
    : null;
}

/** The parameters of the query and the fragment of an address. */
export function parametersOf(url: string): Record<string, string> {
  if (!URL.canParse(url)) return {};
  const { searchParams, hash } = new URL(url);
  return { ...Object.fromEntries(searchParams), ...Object.fromEntries(new URLSearchParams(hash.slice(1))) };
}

export function readTokens(exchange: Exchange): TokenOutcome {
  const body = responseJson(exchange);
  const { access_token: accessToken, refresh_token, id_token, scope, token_type, error } = texts(body);
  const { status } = exchange.response;
  if (!isSuccess(status) || accessToken === undefined) {
    return { kind: 'refused', status, error: error ?? null, exchange };
  }
  const tokens = {
    accessToken,
    refreshToken: refresh_token ?? null,
    idToken: id_token ?? null,
    expiresIn: typeof body.expires_in === 'number' ? body.expires_in : null,
    scope: scope ?? null,
    type: token_type ?? '',
  };
  return { kind: 'issued', tokens, exchange };
}

export function readResource(exchange: Exchange): ResourceOutcome {
  const { status } = exchange.response;
  return { kind: isSuccess(status) ? 'opened' : status >= 500 ? 'broken' : 'refused', status, exchange };
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

function texts(body: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(body).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
