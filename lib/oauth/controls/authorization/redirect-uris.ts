import { type Comparison, compareAuthorizations, explainRefusal, explainWall } from '@/lib/oauth/assessment/comparison';
import { type AuthorizationOutcome, findRedirect } from '@/lib/oauth/assessment/outcomes';
import type { Fields } from '@/lib/oauth/assessment/requests';
import { isErrorPage } from '@/lib/oauth/assessment/shown-page';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
} from '@/lib/oauth/assessment/verdict';
import {
  CONTINUATIONS,
  isLoopback,
  LOOK_ALIKES,
  LOOPBACK_LOOK_ALIKES,
  listContinuations,
  listLookAlikes,
  listLoopbackLookAlikes,
} from '@/lib/oauth/controls/authorization/look-alike-addresses';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import {
  compareRedirects,
  compareVariants,
  createBroaderControlError,
  defineRedirectUriControl,
  isAnyAddressAccepted,
  judgeRefusals,
  UNREGISTERED,
} from '@/lib/oauth/controls/patterns';

/** Controls for the addresses that receive codes and errors (RFC 9700 section 4.1). */
export const REDIRECT_URIS: readonly Control[] = [
  defineRedirectUriControl({
    id: 'strict-redirect-uri',
    title: 'The redirect URI is compared exactly',
    wrong: 'Redirect URIs that were not registered are accepted',
    severity: 'critical',
    area: 'authorization',
    source: ['RFC 9700 2.1', 'RFC 9700 4.1'],
    oauch: 'RedirectUriFullyMatchedTest',
    switchable: true,
    needs: ['client'],
    protectsFrom: 'Codes and tokens are sent to an address of the attacker.',
    tries: LOOK_ALIKES,
    uris: listLookAlikes,
  }),
  defineRedirectUriControl({
    id: 'redirect-uri-wildcard',
    title: 'Registered redirect URIs are not patterns',
    wrong: 'Registered redirect URIs are read as patterns',
    severity: 'critical',
    area: 'authorization',
    source: ['RFC 9700 4.1.3'],
    oauch: 'RedirectUriPathMatchedTest',
    switchable: true,
    needs: ['client'],
    protectsFrom: 'An address that merely begins like the registered one receives the code.',
    tries: CONTINUATIONS,
    uris: listContinuations,
  }),
  defineRedirectUriControl({
    id: 'redirect-uri-scheme',
    title: 'Redirect URIs use https, or http on a loopback address',
    wrong: 'Redirect URIs need neither https nor a loopback address',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9700 2.6', 'RFC 8252 7.3'],
    switchable: true,
    needs: ['client'],
    protectsFrom: 'The code travels in the clear, or becomes a script in the browser.',
    tries: {
      'http off loopback': 'RFC 9700 2.6',
      javascript: 'CVE-2023-6134',
      'javascript before the registered address': 'CVE-2023-6134',
      data: 'CVE-2023-6134',
    },
    uris(registered) {
      const { host, pathname } = new URL(registered);
      return {
        ...(isLoopback(registered) ? {} : { 'http off loopback': `http://${host}${pathname}` }),
        javascript: 'javascript:alert(1)',
        'javascript before the registered address': `javascript://${host}${pathname}`,
        data: 'data:text/html,hello',
      };
    },
  }),
  defineRedirectUriControl({
    id: 'redirect-uri-fragment',
    title: 'Redirect URIs have no fragment',
    wrong: 'A redirect URI with a fragment is accepted',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 6749 3.1.2'],
    oauch: 'HasFragmentTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: 'A fragment hides the code from the application, or hands it to a foreign script.',
    tries: { 'a fragment': 'RFC 6749 3.1.2' },
    uris: (registered) => ({ 'a fragment': `${registered}#fragment` }),
  }),
  defineControl({
    id: 'redirect-uri-confusion',
    title: 'A redirect URI that can be read in two ways is refused',
    wrong: 'A redirect URI that can be read in two ways is accepted',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9700 4.1.3', 'RFC 6749 3.1'],
    oauch: 'RedirectUriConfusionTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: 'One part of the server checks one address, and another sends the code to a second.',
    tries: {
      'a backslash before another host': 'CVE-2026-7504',
      'a fragment before the registered host': 'RFC 9700 4.1.3',
      'an encoded second address': 'RFC 9700 4.1.3',
      'redirect_uri twice': 'CVE-2026-9689',
    },
    async probe(probe) {
      const { redirectUri: registered } = probe.requireClient();
      const good = await probe.requireAccepted();
      if (await isAnyAddressAccepted(probe)) throw createBroaderControlError('strict-redirect-uri');
      const comparisons = new Map<string, Comparison>();
      const ambiguous = {
        'a backslash before another host': registered.replace('://', '://unregistered.example\\@'),
        'a fragment before the registered host': registered.replace('://', '://unregistered.example#@'),
        'an encoded second address': `${registered}/%20${UNREGISTERED}`,
      };
      for (const [label, uri] of Object.entries(ambiguous)) {
        const outcome = await probe.authorize(label, { redirect_uri: uri });
        comparisons.set(label, await compareRedirects(probe, good, outcome, uri));
      }
      // A repeated parameter alone is judged by duplicate-parameters.
      const twice = probe.buildAuthorizationParameters();
      twice.append('redirect_uri', UNREGISTERED);
      const outcome = await probe.authorizeWith('redirect_uri twice', twice);
      return comparisons.set('redirect_uri twice', await compareRedirects(probe, good, outcome, UNREGISTERED));
    },
    rule: judgeRefusals,
  }),
  defineRedirectUriControl({
    id: 'code-pollution',
    title: 'A redirect URI brings no parameters of the response along',
    wrong: 'A redirect URI may bring a code of its own along',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 9700 4.1.3'],
    oauch: 'CodePollutionTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: "The client reads the attacker's code in place of its own.",
    isNarrow: true,
    tries: { 'a code of its own': 'CVE-2026-9689' },
    uris: (registered) => ({
      'a code of its own': `${registered}${registered.includes('?') ? '&' : '?'}code=polluted`,
    }),
  }),
  defineControl({
    id: 'redirect-uri-required',
    title: 'A client with several redirect URIs must name one',
    wrong: 'A client with several redirect URIs need not name one',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 6749 3.1.2.3'],
    oauch: 'RedirectUriRequiredTest',
    switchable: false,
    needs: ['client', 'several redirect URIs'],
    protectsFrom: 'The response goes to an address that the client did not mean.',
    tries: { 'no redirect_uri': 'RFC 6749 3.1.2.3' },
    async probe(probe) {
      const comparisons = await compareVariants(probe, { 'no redirect_uri': { redirect_uri: null } });
      return { comparisons, several: probe.target.severalRedirectUris };
    },
    rule({ comparisons, several }) {
      const verdict = judgeRefusals(comparisons);
      if (verdict.kind !== 'failed' || several === true) return verdict;
      return several === false
        ? createNotApplicable('The client has registered a single redirect URI, which may be left out.')
        : createInconclusive('Accepted, as is right for a single registered URI: say whether the client has several.');
    },
  }),
  defineControl({
    id: 'loopback-port',
    title: 'Native applications may use any port of the loopback address',
    wrong: 'Native applications are bound to one port of the loopback address',
    severity: 'low',
    area: 'authorization',
    source: ['RFC 8252 7.3', 'RFC 9700 4.1.3'],
    switchable: false,
    needs: ['native client'],
    protectsFrom: 'Native applications fall back to less secure ways of receiving the code.',
    tries: { 'another port': 'RFC 8252 7.3', ...LOOPBACK_LOOK_ALIKES },
    async probe(probe) {
      const { nativeClient: client } = probe.target;
      if (client === null) throw new CannotProbe('not_applicable', 'No native client is known.');
      const good = await probe.requireAccepted({ client });
      const url = new URL(client.redirectUri);
      url.port = '49152';
      const other = await probe.authorize(
        'Another port',
        { redirect_uri: url.href },
        { client, anonymous: good.outcome.kind === 'page' },
      );
      const bad = new Map<string, Comparison>();
      for (const [label, uri] of Object.entries(listLoopbackLookAlikes(client.redirectUri))) {
        const outcome = await probe.authorize(
          label,
          { redirect_uri: uri },
          { client, anonymous: good.outcome.kind === 'page' },
        );
        bad.set(label, compareAuthorizations(good, outcome));
      }
      const broader = await isAnyAddressAccepted(probe).catch(() => false);
      return { other: compareAuthorizations(good, other), bad, broader };
    },
    rule({ other, bad, broader }) {
      const verdict = judgeRefusals(bad);
      if (verdict.kind === 'failed')
        return broader ? createNotApplicable('A broader control fails here: see strict-redirect-uri.') : verdict;
      if (other.kind === 'refused') return createFailed('Another port was refused.');
      if (verdict.kind === 'inconclusive') return verdict;
      return createPassed(
        other.kind === 'accepted'
          ? 'Another port was accepted, and nothing else that differs.'
          : 'Another port leads to the same page as the valid request; nothing else that differs does.',
      );
    },
  }),
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
    },
    protectsFrom: 'The server becomes an open redirector that lends its name to phishing.',
    async probe(probe) {
      const ask = (label: string, fields: Fields) =>
        probe.authorize(
          label,
          { redirect_uri: UNREGISTERED, ...fields },
          { anonymous: true, client: probe.chooseAnyClient(), direct: true },
        );
      const unknown = [
        await ask('An unknown client', { client_id: 'no-such-client' }),
        await ask('An unknown client with a bad response type', {
          client_id: 'no-such-client',
          response_type: 'nothing_known',
        }),
      ].map(describeLanding);
      if (probe.target.client === null) return { outright: unknown, withErrors: [], isTaken: false, why: null };
      const plain = await ask('An unregistered redirect URI', {});
      const errors = [
        await ask('The same with a bad scope', { scope: 'sluice_unregistered_scope' }),
        await ask('The same with a bad response type', { response_type: 'nothing_known' }),
        await ask('The same with prompt=none', { prompt: 'none' }),
        await ask('The same without PKCE', { code_challenge: null, code_challenge_method: null }),
        await ask('The same without a response type', { response_type: null }),
        await ask('The same with response_mode=form_post', { response_mode: 'form_post' }),
      ];
      const valid = await probe.authorize('A valid request', {}, { anonymous: true });
      const good = explainRefusal(valid) === null ? await probe.requireOutcome(valid) : null;
      const compared = good === null ? null : compareAuthorizations(good, plain);
      const why = compared?.kind === 'undecided' ? compared.why : null;
      const isTaken = plain.kind === 'granted' || (plain.kind === 'page' && !isErrorPage(plain.page));
      const known = plain.kind === 'granted' ? 'shown' : describeLanding(plain);
      return { outright: [...unknown, known], withErrors: errors.map(describeLanding), isTaken, why };
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

/** A page that sends the browser to the unregistered address by itself, or posts a form there. */
const REFRESH =
  /<meta\b[^>]*http-equiv\s*=\s*["']?refresh\b[^>]*unregistered\.example|<form\b[^>]*\baction\s*=\s*["']?https:\/\/unregistered\.example/i;

/** Describes an answer: a redirect to the unregistered address, a shown page, or the reason why it proves nothing. */
function describeLanding({ exchange }: AuthorizationOutcome): string {
  if (findRedirect(exchange)?.startsWith(UNREGISTERED) || REFRESH.test(exchange.response.body)) return 'redirected';
  return explainWall(exchange) ?? 'shown';
}
