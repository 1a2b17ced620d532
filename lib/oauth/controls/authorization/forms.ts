import { explainUnrelatedAnswer, explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, findResponseHeader } from '@/lib/oauth/assessment/exchange';
import { type FilledForm, fillConsentForm, fillPostedForm } from '@/lib/oauth/assessment/fill-forms';
import { findRedirect, readParameters } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
  ignoreUndecided,
} from '@/lib/oauth/assessment/verdict';
import { listConsents } from '@/lib/oauth/controls/authorization/list-consents';
import { listCookieNames, listSetCookies } from '@/lib/oauth/controls/authorization/set-cookies';
import { type Control, defineControl } from '@/lib/oauth/controls/control';

/** Returns whether the browser was redirected with a code. */
const hasCode = (exchange: Exchange): boolean => 'code' in readParameters(findRedirect(exchange) ?? '');

/** Returns the page that asks a browser without a session, or null if it has no form to post. */
const findPostedPage = (probe: Probe) =>
  probe.openPromptPage({}, fillPostedForm, { anonymous: true }).catch((error: unknown) => {
    if (error instanceof CannotProbe && error.kind === 'not_applicable') return null;
    throw error;
  });

/** Values that look random, as those that protect a form for a whole session do. */
const RANDOM = /^(?=(?:.*\d){2})(?=(?:.*[a-z]){2})[\w.~+/=:-]{16,}$/i;

/**
 * Replaces what another site cannot know: values of a form, and of its address, that an earlier form did not have, and
 * random values of the form that are not in the request. Null if there are none.
 */
function replaceSecrets(
  { action, body }: FilledForm,
  earlier: FilledForm,
  request: URLSearchParams,
): FilledForm | null {
  const url = new URL(action);
  const old = new URL(earlier.action);
  const known = new Set([...old.pathname.split('/'), ...old.searchParams.values(), ...earlier.body.values()]);
  // A short value, such as a client id, is part of a random one by chance.
  const sent = [...request.values()].filter((value) => value.length >= 8);
  const isSecret = (value: string) => !known.has(value) || RANDOM.test(value);
  const replace = (value: string) =>
    isSecret(value) && !sent.some((one) => value.includes(one)) ? value.replace(/\w/g, rotate) : value;
  const replaceAll = (values: URLSearchParams) =>
    new URLSearchParams([...values].map(([name, value]) => [name, replace(value)]));
  // A constant part of the path names the page.
  url.pathname = url.pathname
    .split('/')
    .map((part) => (known.has(part) ? part : replace(part)))
    .join('/');
  url.search = replaceAll(url.searchParams).toString();
  const forged = { action: url.href, body: replaceAll(body) };
  return forged.action === new URL(action).href && forged.body.toString() === body.toString() ? null : forged;
}

/** What became of the answer of another site, in a sentence. */
const FORGERIES = {
  taken: 'An answer of another site gave a code, without the values of the page.',
  refused: 'An answer of another site gave none either.',
  unsent: 'Other sites cannot send the session cookie.',
  untried: 'The form has no value that another site cannot know, so an answer of such a site was not tried.',
};
type Forgery = keyof typeof FORGERIES;

/** Returns whether an answer has set a cookie of the session that other sites cannot send (`SameSite`). */
function isSameSite(probe: Probe): boolean {
  const given = listCookieNames(probe.target.cookie);
  return probe.exchanges
    .flatMap((exchange) => listSetCookies(exchange, probe.now() * 1_000))
    .some(({ key, sameSite }) => given.includes(key) && (sameSite === 'lax' || sameSite === 'strict'));
}

/** Characters that replace each other, so that a number stays a number, and a hexadecimal one hexadecimal. */
const KINDS = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ'];

/** Returns the next character of the same kind. An underscore stays. */
function rotate(character: string): string {
  const kind = KINDS.find((each) => each.includes(character)) ?? character;
  return kind.charAt((kind.indexOf(character) + 1) % kind.length);
}

const openConsentPage = (probe: Probe) => probe.openPromptPage({ prompt: 'consent' }, fillConsentForm);

/** Answers a page of consent as another site does, which cannot know what the page holds. */
async function forgeAnswer(probe: Probe): Promise<Forgery> {
  const earlier = await openConsentPage(probe);
  const asking = await openConsentPage(probe);
  const forged = replaceSecrets(asking.form, earlier.form, asking.parameters);
  if (forged === null) return 'untried';
  if (!hasCode(await asking.completeForeign('An answer of another site', forged))) return 'refused';
  return isSameSite(probe) ? 'unsent' : 'taken';
}

/** Controls for what answers a form or a script at the authorization endpoint (RFC 9700 sections 2.6 and 4.12). */
export const FORMS: readonly Control[] = [
  defineControl({
    id: 'redirect-303',
    title: 'A redirect does not repeat a POST',
    wrong: 'A redirect repeats a POST',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 9700 4.12'],
    tries: { 'post the form of the page': 'RFC 9700 4.12', 'agree again': 'RFC 9700 4.12' },
    oauch: 'SupportsRedirect303Test',
    switchable: false,
    needs: ['client'],
    protectsFrom: 'The browser sends the password on to the client.',
    async probe(probe) {
      const page = await findPostedPage(probe);
      const statuses = page === null ? [] : [(await page.submit('Post the form of the page')).response.status];
      const consents = await listConsents(probe);
      statuses.push(...consents.map(({ answer }) => answer.response.status));
      // A server that remembers an earlier answer asks again on request.
      if (consents.length === 0 && probe.target.cookie !== '') {
        const asking = await openConsentPage(probe).catch(ignoreUndecided);
        if (asking !== null) statuses.push((await asking.submit('Agree again')).response.status);
      }
      if (statuses.length === 0)
        throw new CannotProbe('not_applicable', 'The server shows no page with a form to post.');
      return statuses;
    },
    rule(statuses) {
      const repeating = statuses.find((status) => status === 307 || status === 308);
      if (repeating !== undefined) return createFailed(`A POST is redirected with ${repeating}.`);
      const redirect = statuses.find((status) => status >= 300 && status < 400);
      return redirect === undefined
        ? createNotApplicable(`The form is answered with ${statuses.join(' and ')}, without a redirect.`)
        : createPassed(`A POST is redirected with ${redirect}.`);
    },
  }),
  defineControl({
    id: 'consent-ticket-once',
    title: 'An answer to the consent page works once, and only with what the page holds',
    wrong: 'An answer to the consent page works again, or without what the page holds',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 6749 10.12'],
    tries: {
      'an answer of another site': 'RFC 6749 10.12, RFC 6819 5.3.5',
      'send the same answer again': 'RFC 6749 10.12',
    },
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'Another site agrees in the name of a person, or an attacker sends an answer again for another code.',
    async probe(probe) {
      const forgery = await forgeAnswer(probe);
      if (forgery === 'taken') return { forgery, first: true, second: false, wall: null };
      const page = await openConsentPage(probe);
      const first = hasCode(await page.complete('Agree'));
      const second = await page.complete('Send the same answer again');
      // A firewall that forbids the answer forbids that of another page, too.
      const isOwn =
        second.response.status === 403 &&
        hasCode(await (await openConsentPage(probe)).complete('Agree on another page'));
      return { forgery, first, second: hasCode(second), wall: isOwn ? null : explainWall(second) };
    },
    rule({ forgery, first, second, wall }) {
      if (forgery === 'taken') return createFailed(FORGERIES.taken);
      if (!first) return createInconclusive('Agreeing led to no code.');
      if (second) return createFailed('The same answer gave another code.');
      return wall === null
        ? createPassed(`The second answer gave no code. ${FORGERIES[forgery]}`)
        : createInconclusive(`Undecided: ${wall}.`);
    },
  }),
  defineControl({
    id: 'authorize-cors',
    title: 'No script may call the authorization endpoint',
    wrong: 'Scripts of other sites may call the authorization endpoint',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 9700 2.6'],
    switchable: false,
    needs: [],
    protectsFrom: 'A page that the user visits asks for codes in their name and reads the answer.',
    tries: {
      'a preflight': 'RFC 9700 2.6',
      'a GET of a script': 'RFC 9700 2.6',
      'a GET of a script, signed in': 'RFC 9700 2.6',
    },
    async probe(probe) {
      const endpoint = await probe.requireEndpoint('authorization_endpoint');
      const origin = 'https://unregistered.example';
      const preflight = await probe.send('A preflight', endpoint, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'GET' },
      });
      const client = probe.chooseAnyClient();
      const got = await probe.authorize('A GET of a script', {}, { client, anonymous: true, headers: { origin } });
      // A login page that a script makes may be any page: a session shows that the endpoint itself answers.
      const isClear = explainUnrelatedAnswer(got) === null || probe.target.cookie === '';
      const options = { client, withoutAgreeing: true, headers: { origin } };
      const last = isClear ? got : await probe.authorize('A GET of a script, signed in', {}, options);
      const allowed = [preflight, got.exchange, last.exchange].map((exchange) =>
        findResponseHeader(exchange, 'access-control-allow-origin'),
      );
      return { allowed, why: explainWall(preflight) ?? explainUnrelatedAnswer(last) };
    },
    rule({ allowed, why }) {
      if (allowed.some((origin) => origin !== null)) return createFailed('The answer has Access-Control-Allow-Origin.');
      return why === null
        ? createPassed('The answers allow no other origin.')
        : createInconclusive(`Undecided: ${why}.`);
    },
  }),
];
