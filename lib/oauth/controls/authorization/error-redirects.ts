import { compareAuthorizations, explainRefusal, explainWall } from '@/lib/oauth/assessment/comparison';
import { listPageRedirects } from '@/lib/oauth/assessment/list-page-redirects';
import { type AuthorizationOutcome, findRedirect } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { Fields } from '@/lib/oauth/assessment/requests';
import { isErrorPage, isMadeByScript } from '@/lib/oauth/assessment/shown-page';
import { createFailed, createInconclusive, createNotApplicable, createPassed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { UNREGISTERED } from '@/lib/oauth/controls/patterns';
import { authorizeRefusably } from '@/lib/oauth/controls/repeat-fault';

/** Controls for the addresses that receive errors (RFC 9700 section 4.11.2). */
export const ERROR_REDIRECTS: readonly Control[] = [
  defineControl({
    id: 'no-open-redirect-on-error',
    title: 'Errors go back to registered addresses only',
    wrong: 'Errors are sent to unregistered addresses',
    severity: 'critical',
    area: 'authorization',
    source: ['RFC 9700 4.11.2', 'RFC 6749 4.1.2.1'],
    oauch: 'InvalidRedirectTest',
    switchable: true,
    needs: [],
    evidence: 'authorization',
    tries: {
      'an unknown client': 'RFC 9700 4.11.2',
      'an unknown client with a bad response type': 'CVE-2026-41479',
      'an unregistered redirect URI': 'RFC 6749 4.1.2.1',
      'the same with a bad scope': 'RFC 9700 4.11.2',
      'the same with a bad response type': 'CVE-2026-41479',
      'the same with prompt=none': 'CVE-2019-9837, CVE-2026-55834',
      'the same without PKCE': 'RFC 9700 4.11.2',
      'the same without a response type': 'RFC 9700 4.11.2',
      'the same with response_mode=form_post': 'OAuth 2.0 Form Post Response Mode 2',
      'the same with a bad resource': 'RFC 8707 2',
      'the same with a request object': 'RFC 9101 6.3',
      'the same with a repeated parameter': 'RFC 6749 3.1',
      'a bad response type at an address that begins as the registered one': 'RFC 9700 4.11.2',
      'a bad response type at a host that begins as the registered one': 'RFC 9700 4.11.2',
    },
    protectsFrom: 'The server becomes an open redirector that lends its name to phishing.',
    async probe(probe) {
      const signedOut = await sendErrors(probe, true);
      // A server that asks for a login first looks at the request only then.
      if (probe.target.cookie === '' || probe.target.client === null) return signedOut;
      const member = await sendErrors(probe, false);
      return {
        outright: [...signedOut.outright, ...member.outright],
        withErrors: [...signedOut.withErrors, ...member.withErrors],
        isTaken: member.isTaken,
        why: member.why,
      };
    },
    rule({ outright, withErrors, isTaken, why }) {
      if (outright.includes('redirected'))
        return createFailed('The browser was redirected to an unregistered address.');
      if (withErrors.includes('redirected')) {
        return isTaken
          ? createNotApplicable('The server takes the address for a registered one: see strict-redirect-uri.')
          : createFailed('An error was sent to an unregistered address.');
      }
      const wall = [...outright, ...withErrors].find((what) => what !== 'shown') ?? why ?? undefined;
      return wall === undefined
        ? createPassed('The browser was not redirected.')
        : createInconclusive(`Undecided: ${wall}.`);
    },
  }),
];

/** Sends requests that name an unregistered address and have other faults, from a browser with or without a session. */
async function sendErrors(probe: Probe, anonymous: boolean) {
  const client = probe.chooseAnyClient();
  const options = { anonymous, client, direct: true, withoutAgreeing: true };
  const ask = (label: string, fields: Fields) =>
    authorizeRefusably(probe, () => probe.authorize(label, { redirect_uri: UNREGISTERED, ...fields }, options));
  const repeat = (label: string) => {
    const parameters = probe.buildAuthorizationParameters({ redirect_uri: UNREGISTERED }, client);
    parameters.append('state', 'again');
    return authorizeRefusably(probe, () => probe.authorizeWith(label, parameters, '', options));
  };
  const unknown = [
    await ask('An unknown client', { client_id: 'no-such-client' }),
    await ask('An unknown client with a bad response type', {
      client_id: 'no-such-client',
      response_type: 'nothing_known',
    }),
  ].map((outcome) => describeLanding(outcome));
  if (probe.target.client === null) return { outright: unknown, withErrors: [], isTaken: false, why: null };
  const plain = await ask('An unregistered redirect URI', {});
  const errors = [
    await ask('The same with a bad scope', { scope: 'sluice_unregistered_scope' }),
    await ask('The same with a bad response type', { response_type: 'nothing_known' }),
    await ask('The same with prompt=none', { prompt: 'none' }),
    await ask('The same without PKCE', { code_challenge: null, code_challenge_method: null }),
    await ask('The same without a response type', { response_type: null }),
    await ask('The same with response_mode=form_post', { response_mode: 'form_post' }),
    await ask('The same with a bad resource', { resource: `${UNREGISTERED}/nothing` }),
    await ask('The same with a request object', { request: UNSIGNED }),
    await repeat('The same with a repeated parameter'),
  ];
  const lookAlikes = await sendErrorsToLookAlikes(probe, ask);
  const valid = await probe.authorize('A valid request', {}, { anonymous });
  const good = explainRefusal(valid) === null ? await probe.requireOutcome(valid) : null;
  const compared = good === null ? null : compareAuthorizations(good, plain);
  const why = compared?.kind === 'undecided' ? compared.why : null;
  const isRefused = compared?.kind === 'refused' || (plain.kind === 'page' && isErrorPage(plain.page));
  // A page made by a script may be a refusal.
  const isOpen = plain.kind === 'page' && !isRefused && (why === null || !isMadeByScript(plain.page));
  const isTaken = plain.kind === 'granted' || isOpen;
  const known = plain.kind === 'granted' ? 'shown' : describeLanding(plain);
  return {
    outright: [...unknown, known, ...lookAlikes],
    withErrors: errors.map((outcome) => describeLanding(outcome)),
    isTaken,
    why,
  };
}

/** A request object without a signature and without claims. */
const UNSIGNED = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from('{}').toString('base64url')}.`;

/**
 * Sends a bad request for addresses that begin like the registered one. An address that gets a code, too, is judged by
 * `strict-redirect-uri` and its kin.
 */
async function sendErrorsToLookAlikes(
  probe: Probe,
  ask: (label: string, fields: Fields) => Promise<AuthorizationOutcome>,
): Promise<string[]> {
  const { redirectUri } = probe.chooseAnyClient();
  const { protocol, hostname, pathname } = new URL(redirectUri);
  const addresses = {
    'an address that begins': `${redirectUri}.unregistered.example`,
    'a host that begins': `${protocol}//${hostname}.unregistered.example${pathname}`,
  };
  const landings: string[] = [];
  for (const [where, redirect_uri] of Object.entries(addresses)) {
    const label = `A bad response type at ${where} as the registered one`;
    const landing = describeLanding(await ask(label, { redirect_uri, response_type: 'nothing_known' }), redirect_uri);
    if (landing !== 'redirected') {
      landings.push(landing);
      continue;
    }
    const valid = await ask(`A valid request at ${where} as the registered one`, { redirect_uri });
    const isTaken = valid.kind === 'granted' || (valid.kind === 'page' && !isErrorPage(valid.page));
    if (!isTaken) landings.push(landing);
  }
  return landings;
}

/** A page that sends the browser to the unregistered address by itself, or posts a form there. */
const REFRESH =
  /<meta\b(?=[^<>]*http-equiv\s*=\s*["']?refresh\b)[^<>]*unregistered\.example|<form\b[^<>]*\baction\s*=\s*["']?https:\/\/unregistered\.example/i;

/** Describes an answer: a redirect to the unregistered address, a shown page, or the reason why it proves nothing. */
function describeLanding({ exchange }: AuthorizationOutcome, to = UNREGISTERED): string {
  const { body } = exchange.response;
  const addresses = [findRedirect(exchange) ?? '', ...listPageRedirects(body)];
  if (addresses.some((address) => address.startsWith(to)) || REFRESH.test(body)) return 'redirected';
  return exchange.failsAgain === true ? 'shown' : (explainWall(exchange) ?? 'shown');
}
