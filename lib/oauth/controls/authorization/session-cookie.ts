import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe, createFailed, createPassed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';

/** A cookie that an answer sets. */
interface SetCookie {
  name: string;
  isHttpOnly: boolean;
  isSecure: boolean;
  url: string;
}

/** Names that frameworks give to the cookie of a session. */
const OF_A_SESSION = /sess|sid\b|sid$|auth|identity|login/i;
/** Scripts read these on purpose, to repeat them in a form. */
const AGAINST_FORGERY = /csrf|xsrf/i;

/** Lists the cookies that an answer sets, but not those that it removes. */
function listSetCookies({ request, response }: Exchange): SetCookie[] {
  return response.headers.flatMap(([header, text]) => {
    if (header.toLowerCase() !== 'set-cookie') return [];
    const [pair = '', ...attributes] = text.split(';').map((part) => part.trim());
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const has = (attribute: string) => attributes.some((each) => each.toLowerCase() === attribute);
    const isRemoved = value === '' || attributes.some((each) => /^max-age=0$|^expires=.*\b1970\b/i.test(each));
    return isRemoved ? [] : [{ name, isHttpOnly: has('httponly'), isSecure: has('secure'), url: request.url }];
  });
}

/** Lists the cookies of a session that the pages on the way to a code set. */
async function listSessionCookies(probe: Probe): Promise<SetCookie[]> {
  const from = probe.exchanges.length;
  await probe.authorize('A browser without a session', {}, { anonymous: true });
  if (probe.target.cookie !== '') await probe.authorize('A signed-in browser');
  const given = probe.target.cookie.split(/;\s*/).map((pair) => pair.split('=')[0] ?? '');
  const set = probe.exchanges.slice(from).flatMap(listSetCookies);
  return set.filter(({ name }) => {
    const isKnown = given.length === 1 && given[0] === name && name !== '';
    return !AGAINST_FORGERY.test(name) && (isKnown || OF_A_SESSION.test(name));
  });
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
      'a browser without a session': 'RFC 6265 4.1.2.6',
      'a signed-in browser': 'RFC 6265 4.1.2.6',
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
      // Scripts read another cookie of the session on purpose (OpenID Connect Session Management 1.0).
      if (!cookies.some(({ isHttpOnly }) => isHttpOnly))
        return createFailed(`The cookie ${cookies[0]?.name} has no HttpOnly.`);
      const plain = cookies.find(({ isSecure, url }) => !isSecure && url.startsWith('https:'));
      return plain === undefined
        ? createPassed(`The attributes of the cookie ${cookies[0]?.name} keep it from scripts and plain connections.`)
        : createFailed(`The cookie ${plain.name} has no Secure.`);
    },
  }),
];
