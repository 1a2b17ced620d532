import type { Cookie } from 'tough-cookie';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe, createFailed, createPassed } from '@/lib/oauth/assessment/verdict';
import { listCookieNames, listSetCookies } from '@/lib/oauth/controls/authorization/set-cookies';
import { type Control, defineControl } from '@/lib/oauth/controls/control';

/** Names that frameworks give to the cookie of a session. */
const OF_A_SESSION = /sess|(?:^|[._-])sid$|identity\b/i;
/**
 * Names of cookies that scripts read on purpose: those against forged requests, and those of OpenID Connect Session
 * Management 1.0.
 */
const FOR_SCRIPTS = /csrf|xsrf|session[._-]?state|check[._-]?session|^idsrv\.session$|opbs/i;

/** A cookie that was set, and whether that was over TLS. */
interface Seen {
  cookie: Cookie;
  isOverTls: boolean;
}

/**
 * Lists the cookies that the pages on the way to a code set, and that can be that of the session: those that the target
 * names, or else those with the name of a session.
 */
async function listSessionCookies(probe: Probe): Promise<Seen[]> {
  const from = probe.exchanges.length;
  await probe.authorize('A browser without a session', {}, { anonymous: true });
  if (probe.target.cookie !== '') await probe.authorize('A signed-in browser');
  const set = probe.exchanges.slice(from).flatMap((exchange) => {
    const isOverTls = exchange.request.url.startsWith('https:');
    return listSetCookies(exchange, probe.now() * 1_000).map((cookie): Seen => ({ cookie, isOverTls }));
  });
  const given = listCookieNames(probe.target.cookie);
  const possible = set.filter(({ cookie }) => !FOR_SCRIPTS.test(cookie.key));
  const known = possible.filter(({ cookie }) => given.includes(cookie.key));
  return known.length > 0 ? known : possible.filter(({ cookie }) => OF_A_SESSION.test(cookie.key));
}

/** Control for the cookie by which the server knows a signed-in browser. */
export const SESSION_COOKIE: readonly Control[] = [
  defineControl({
    id: 'session-cookie',
    title: 'Scripts and plain connections do not get the session cookie',
    wrong: 'Scripts or plain connections get the session cookie',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 6265 4.1.2.5', 'RFC 6265 4.1.2.6'],
    switchable: false,
    needs: ['client'],
    evidence: 'answer',
    protectsFrom: 'A script on a page, or anyone who reads the network, takes over the session of a signed-in person.',
    tries: {
      'a browser without a session': 'RFC 6265 4.1.2.5, RFC 6265 4.1.2.6',
      'a signed-in browser': 'RFC 6265 4.1.2.5, RFC 6265 4.1.2.6',
    },
    async probe(probe) {
      const cookies = await listSessionCookies(probe);
      if (cookies.length === 0)
        throw new CannotProbe(
          'not_applicable',
          'No answer set the cookie of a session, so its attributes are unknown.',
        );
      return cookies;
    },
    rule(cookies) {
      const names = [...new Set(cookies.map(({ cookie }) => cookie.key))].join(', ');
      // One of several is that of the session, so a fault of all is its fault.
      if (cookies.every(({ cookie }) => !cookie.httpOnly)) return createFailed(`Without HttpOnly: ${names}.`);
      const overTls = cookies.filter(({ isOverTls }) => isOverTls);
      if (overTls.length === 0)
        return createPassed(`HttpOnly keeps scripts from ${names}. Without TLS, Secure has no use.`);
      return overTls.every(({ cookie }) => !cookie.secure)
        ? createFailed(`Without Secure: ${names}.`)
        : createPassed(`HttpOnly and Secure keep scripts and plain connections from ${names}.`);
    },
  }),
];
