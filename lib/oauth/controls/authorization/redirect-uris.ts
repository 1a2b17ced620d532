import { type Comparison, compareAuthorizations } from '@/lib/oauth/assessment/comparison';
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
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import {
  compareRedirects,
  compareVariants,
  createBroaderControlError,
  defineRedirectUriControl,
  isAnyAddressAccepted,
  UNREGISTERED,
} from '@/lib/oauth/controls/patterns';
import { authorizeRefusably } from '@/lib/oauth/controls/repeat-fault';

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
    tries: { ...LOOK_ALIKES, 'another host by POST': 'RFC 6749 3.1' },
    uris: listLookAlikes,
    byPost: 'another host by POST',
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
        const outcome = await authorizeRefusably(probe, () => probe.authorize(label, { redirect_uri: uri }));
        comparisons.set(label, await compareRedirects(probe, good, outcome, uri));
      }
      // A repeated parameter alone is judged by duplicate-parameters.
      const twice = probe.buildAuthorizationParameters();
      twice.append('redirect_uri', UNREGISTERED);
      const outcome = await authorizeRefusably(probe, () => probe.authorizeWith('redirect_uri twice', twice));
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
      const options = { client, anonymous: good.outcome.kind === 'page' };
      const other = await authorizeRefusably(probe, () =>
        probe.authorize('Another port', { redirect_uri: url.href }, options),
      );
      const bad = new Map<string, Comparison>();
      for (const [label, uri] of Object.entries(listLoopbackLookAlikes(client.redirectUri))) {
        const send = () => probe.authorize(label, { redirect_uri: uri }, options);
        const outcome = await authorizeRefusably(probe, send);
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
];
