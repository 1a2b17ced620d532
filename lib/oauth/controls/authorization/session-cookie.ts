import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe, createFailed, createPassed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import type { Seconds } from '@/lib/units';

/** A cookie that an answer sets. */
interface SetCookie {
  name: string;
  isHttpOnly: boolean;
  isSecure: boolean;
  url: string;
}

/** Names that frameworks give to the cookie of a session. */
const OF_A_SESSION = /sess|(?:^|[._-])sid$|identity\b/i;
/**
 * Names of cookies that scripts read on purpose: those against forged requests, and those of OpenID Connect Session
 * Management 1.0.
 */
const FOR_SCRIPTS = /csrf|xsrf|session[._-]?state|check[._-]?session|^idsrv\.session$|opbs/i;

/** Lists the cookies that an answer sets, but not those that it removes. */
function listSetCookies({ request, response }: Exchange, now: Seconds): SetCookie[] {
  return response.headers.flatMap(([header, text]) => {
    if (header.toLowerCase() !== 'set-cookie') return [];
    const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const has = (attribute: string) => attributes.some((each) => each.toLowerCase() === attribute);
    const isPast = ([, expires = '']: RegExpExecArray) => Date.parse(expires) < now * 1_000;
    const isRemoved =
      value === '' ||
      attributes.some((each) => {
        const expiry = /^expires=(.*)$/i.exec(each);
        return /^max-age=0$/i.test(each) || (expiry !== null && isPast(expiry));
      });
    return isRemoved ? [] : [{ name, isHttpOnly: has('httponly'), isSecure: has('secure'), url: request.url }];
  });
}

/**
 * Lists the cookies that the pages on the way to a code set, and that can be that of the session: those that the target
 * names, or else those with the name of a session.
 */
async function listSessionCookies(probe: Probe): Promise<SetCookie[]> {
  const from = probe.exchanges.length;
  await probe.authorize('A browser without a session', {}, { anonymous: true });
  if (probe.target.cookie !== '') await probe.authorize('A signed-in browser');
  const given = probe.target.cookie.split(/;\s*/).map((pair) => pair.split('=')[0] ?? '');
  const set = probe.exchanges
    .slice(from)
    .flatMap((exchange) => listSetCookies(exchange, probe.now()))
    .filter(({ name }) => !FOR_SCRIPTS.test(name));
  const known = set.filter(({ name }) => given.includes(name));
  return known.length > 0 ? known : set.filter(({ name }) => OF_A_SESSION.test(name));
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
    protectsFrom: 'A script on a page, or somebody on the network, takes over the session of a signed-in person.',
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
      const names = [...new Set(cookies.map(({ name }) => name))].join(', ');
      // One of several is that of the session, so a fault of all is its fault.
      if (cookies.every(({ isHttpOnly }) => !isHttpOnly)) return createFailed(`Without HttpOnly: ${names}.`);
      const overTls = cookies.filter(({ url }) => url.startsWith('https:'));
      if (overTls.length === 0)
        return createPassed(`HttpOnly keeps scripts from ${names}. Without TLS, Secure has no use.`);
      return overTls.every(({ isSecure }) => !isSecure)
        ? createFailed(`Without Secure: ${names}.`)
        : createPassed(`HttpOnly and Secure keep scripts and plain connections from ${names}.`);
    },
  }),
];
