import { AGREE_LABEL, BrowserSession } from '@/lib/oauth/assessment/browser-session';
import { type Exchange, findResponseHeader } from '@/lib/oauth/assessment/exchange';
import { listPageRedirects } from '@/lib/oauth/assessment/list-page-redirects';
import { findRedirect, readParameters } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { type Fields, fill } from '@/lib/oauth/assessment/requests';
import { readPage } from '@/lib/oauth/assessment/shown-page';
import { CannotProbe, ignoreUndecided } from '@/lib/oauth/assessment/verdict';

/** A logout request, followed as a browser without a session does, and the last answer. */
interface LogoutAnswer {
  exchange: Exchange;
  /** Whether a page asked before. */
  isAsked: boolean;
}

/**
 * Sends a logout request from a browser without a session, and agrees to pages that ask. No person is signed out, except
 * by a server that ends the session that an ID token names.
 * @param address where the browser must not be followed to
 */
export async function sendLogout(probe: Probe, label: string, fields: Fields, address: string): Promise<LogoutAnswer> {
  const url = new URL(await probe.requireEndpoint('end_session_endpoint'));
  for (const [name, value] of fill(fields)) url.searchParams.append(name, value);
  const from = probe.exchanges.length;
  const send = (what: string, to: string, init: RequestInit) => probe.send(what, to, init);
  const options = { redirectUri: URL.canParse(address) ? new URL(address).href : address, agree: true };
  const exchange = await new BrowserSession(url.href).open(send, label, url.href, options);
  return { exchange, isAsked: probe.exchanges.slice(from).some((seen) => seen.label === AGREE_LABEL) };
}

/** Returns whether an answer takes the browser to an address: by a redirect, a form, a refresh or a script. */
export function isSentTo(exchange: Exchange, address: string, registered: string | null = null): boolean {
  const { href } = new URL(address, exchange.request.url);
  const isLike = (text: string) =>
    // What a browser reads as the registered address is another one only in its spelling.
    URL.canParse(text, exchange.request.url) && href !== registered
      ? isAddress(new URL(text, exchange.request.url), new URL(href))
      : text.startsWith(address);
  const location = findResponseHeader(exchange, 'location');
  const redirect = location !== null && exchange.response.status >= 300 ? location : findRedirect(exchange);
  if (redirect !== null && exchange.response.status < 400) return isLike(redirect);
  return [...readPage(exchange).forms.map(({ action }) => action), ...listPageRedirects(exchange.response.body)].some(
    isLike,
  );
}

/** Returns whether an address is another one, perhaps with more parameters. */
function isAddress(given: URL, wanted: URL): boolean {
  const hasAll = [...wanted.searchParams].every(([name, value]) => given.searchParams.getAll(name).includes(value));
  return (
    given.origin === wanted.origin &&
    given.username === wanted.username &&
    given.pathname === wanted.pathname &&
    given.protocol === wanted.protocol &&
    hasAll
  );
}

/** Ways to name the client of a logout request, the surest first. */
const WAYS = ['an ID token', 'the client id'] as const;
type Way = (typeof WAYS)[number];

/** The logout request that leads to the registered address. */
interface ValidLogout {
  way: Way;
  /** Fields that name the client. */
  fields: Fields;
  /** The state that came back, or null. */
  returned: string | null;
  sent: string;
}

/** Returns the address of the client that is registered for the time after a logout, or likely so. */
export function chooseRegistered(probe: Probe): string {
  const { postLogoutRedirectUri, redirectUri } = probe.requireClient();
  return postLogoutRedirectUri ?? redirectUri;
}

/** Returns an ID token of the client, or null if none can be had. */
export const requestHint = (probe: Probe): Promise<string | null> =>
  probe.runOnce('logout hint', async () => (await probe.runCodeFlow().catch(ignoreUndecided))?.idToken ?? null);

/** Creates the fields that name the client in each way that is possible. */
export async function listClientNamings(probe: Probe): Promise<(readonly [Way, Fields])[]> {
  const hint = await requestHint(probe);
  return [
    ...(hint === null ? [] : [[WAYS[0], { id_token_hint: hint }] as const]),
    [WAYS[1], { client_id: probe.requireClient().id }] as const,
  ];
}

/**
 * Finds the logout request that leads the browser to the registered address. It is sent after the faulty requests,
 * because it may end the session.
 * @returns null if none does
 */
export const findValidLogout = (probe: Probe): Promise<ValidLogout | null> =>
  probe.runOnce('valid logout', async () => {
    const registered = chooseRegistered(probe);
    for (const [way, fields] of await listClientNamings(probe)) {
      const state = `${probe.generateRandomText(12)} &=`;
      const sent = { ...fields, post_logout_redirect_uri: registered, state };
      const { exchange } = await sendLogout(probe, `A valid logout with ${way}`, sent, registered);
      if (!isSentTo(exchange, registered)) continue;
      const { state: returned = null } = readParameters(findRedirect(exchange) ?? '');
      return { way, fields, returned, sent: state };
    }
    return null;
  });

/**
 * Returns the valid logout.
 * @throws CannotProbe not_applicable if no address is known to be registered, inconclusive if none leads there
 */
export async function requireValidLogout(probe: Probe): Promise<ValidLogout> {
  const valid = await findValidLogout(probe);
  if (valid !== null) return valid;
  const { postLogoutRedirectUri } = probe.requireClient();
  throw postLogoutRedirectUri === undefined
    ? new CannotProbe('not_applicable', 'No post_logout_redirect_uri of the client is known.')
    : new CannotProbe('inconclusive', 'No logout led back to the post_logout_redirect_uri of the client.');
}
