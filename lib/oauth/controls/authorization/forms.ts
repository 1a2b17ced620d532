import { explainUnrelatedAnswer, explainWall } from '@/lib/oauth/assessment/comparison';
import { type Exchange, findResponseHeader } from '@/lib/oauth/assessment/exchange';
import { findRedirect, readParameters } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { fillConsentForm, fillPostedForm } from '@/lib/oauth/assessment/shown-page';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
} from '@/lib/oauth/assessment/verdict';
import { listConsents } from '@/lib/oauth/controls/authorization/list-consents';
import { type Control, defineControl } from '@/lib/oauth/controls/control';

/** Returns whether the browser was redirected with a code. */
const hasCode = (exchange: Exchange): boolean => 'code' in readParameters(findRedirect(exchange) ?? '');

/** Returns the page that asks a browser without a session, or null if it has no form to post. */
const findPostedPage = (probe: Probe) =>
  probe.openPromptPage({}, fillPostedForm, { anonymous: true }).catch((error: unknown) => {
    if (error instanceof CannotProbe && error.kind === 'not_applicable') return null;
    throw error;
  });

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
      statuses.push(...(await listConsents(probe)).map(({ answer }) => answer.response.status));
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
    title: 'An answer to the consent page works once',
    wrong: 'An answer to the consent page works again',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 6749 10.12'],
    tries: { 'send the same answer again': 'RFC 6749 10.12' },
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'An attacker who saw an answer sends it again and receives another code.',
    async probe(probe) {
      const page = await probe.openPromptPage({ prompt: 'consent' }, fillConsentForm);
      const first = hasCode(await page.complete('Agree'));
      const second = await page.complete('Send the same answer again');
      return { first, second: hasCode(second), wall: explainWall(second) };
    },
    rule({ first, second, wall }) {
      if (!first) return createInconclusive('Agreeing led to no code.');
      if (second) return createFailed('The same answer gave another code.');
      return wall === null
        ? createPassed('The second answer gave no code.')
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
