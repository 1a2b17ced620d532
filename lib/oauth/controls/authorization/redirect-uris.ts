import { parametersOf, redirectOf } from '@/lib/oauth/assessment/outcomes';
import { CannotProbe, failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { refusesAuthorizations, refusesRedirectUris } from '@/lib/oauth/controls/refused-requests';

/** Where codes and errors may be sent (RFC 9700 section 4.1). */
export const REDIRECT_URIS: readonly Control[] = [
  refusesRedirectUris({
    id: 'strict-redirect-uri',
    title: 'The redirect URI is compared exactly',
    severity: 'critical',
    area: 'authorization',
    source: ['RFC 9700 2.1', 'RFC 9700 4.1'],
    oauch: 'RedirectUriFullyMatchedTest',
    switchable: true,
    protectsFrom: 'Codes and tokens are sent to an address of the attacker.',
    uris(registered) {
      const { protocol, hostname, host, pathname, origin } = new URL(registered);
      return {
        'another host': `${protocol}//unregistered.example${pathname}`,
        'a subdomain': `${protocol}//evil.${host}${pathname}`,
        'an added path': `${registered}/more`,
        'an added query': `${registered}?more=1`,
        'user information': `${protocol}//user@${host}${pathname}`,
        'another port': `${protocol}//${hostname}:8443${pathname}`,
        'another letter case': origin + pathname.toUpperCase(),
        'an encoded dot': `${origin}/%2e${pathname}`,
        'a trailing slash': `${registered}/`,
      };
    },
  }),
  refusesRedirectUris({
    id: 'redirect-uri-wildcard',
    title: 'Registered redirect URIs are not patterns',
    severity: 'critical',
    area: 'authorization',
    source: ['RFC 9700 4.1.3'],
    oauch: 'RedirectUriPathMatchedTest',
    switchable: true,
    protectsFrom: 'An address that merely begins like the registered one receives the code.',
    uris: (registered) => ({
      'a name appended': `${registered}-of-somebody-else`,
      'a host appended': `${registered}.unregistered.example`,
    }),
  }),
  refusesRedirectUris({
    id: 'redirect-uri-scheme',
    title: 'Redirect URIs use https, or http on a loopback address',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9700 2.1', 'RFC 8252 7.3'],
    switchable: true,
    protectsFrom: 'The code travels in the clear, or becomes a script in the browser.',
    uris(registered) {
      const { host, pathname } = new URL(registered);
      return {
        'http off loopback': `http://${host}${pathname}`,
        javascript: 'javascript:alert(1)',
        data: 'data:text/html,hello',
      };
    },
  }),
  refusesAuthorizations({
    id: 'redirect-uri-fragment',
    title: 'Redirect URIs have no fragment',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 6749 3.1.2'],
    oauch: 'HasFragmentTest',
    switchable: false,
    protectsFrom: 'A fragment hides the code from the application, or hands it to a foreign script.',
    variants: (probe) => ({ 'a fragment': { redirect_uri: `${probe.target.client.redirectUri}#fragment` } }),
  }),
  refusesAuthorizations({
    id: 'redirect-uri-required',
    title: 'A client with several redirect URIs must name one',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 6749 3.1.2.3'],
    oauch: 'RedirectUriRequiredTest',
    switchable: false,
    protectsFrom: 'The response goes to an address that the client did not mean.',
    variants(probe) {
      if (!probe.target.severalRedirectUris) {
        throw new CannotProbe('not_applicable', 'The client has registered a single redirect URI.');
      }
      return { 'no redirect_uri': { redirect_uri: null } };
    },
  }),
  defineControl({
    id: 'loopback-port',
    title: 'Native applications may use any port of the loopback address',
    severity: 'low',
    area: 'authorization',
    source: ['RFC 8252 7.3'],
    switchable: false,
    protectsFrom: 'Native applications fall back to less secure ways of receiving the code.',
    async probe(probe) {
      const { nativeClient: client } = probe.target;
      if (client === undefined) throw new CannotProbe('not_applicable', 'No native client is known.');
      const url = new URL(client.redirectUri);
      url.port = '49152';
      return probe.authorize('Another port of the loopback address', { redirect_uri: url.href }, { client });
    },
    rule(outcome) {
      if (outcome.kind === 'page') return inconclusive('The server showed a page.');
      return outcome.kind === 'granted' ? passed('Another port was accepted.') : failed('Another port was refused.');
    },
  }),
  defineControl({
    id: 'no-open-redirect-on-error',
    title: 'Errors go back to registered addresses only',
    severity: 'critical',
    area: 'authorization',
    source: ['RFC 9700 4.11.2', 'RFC 6749 4.1.2.1'],
    oauch: 'InvalidRedirectTest',
    switchable: true,
    protectsFrom: 'The server becomes an open redirector that lends its name to phishing.',
    async probe(probe) {
      const evil = 'https://unregistered.example/landing';
      const unknown = probe.authorizationParameters({ client_id: 'no-such-client', redirect_uri: evil });
      const foreign = probe.authorizationParameters({ redirect_uri: evil });
      const targets = [
        redirectOf(await probe.browse('An unknown client', unknown)),
        redirectOf(await probe.browse('An unregistered redirect URI', foreign)),
      ];
      // A redirect that carries a code is not an error: strict-redirect-uri assesses it.
      return targets.filter((target) => target?.startsWith(evil) && !('code' in parametersOf(target)));
    },
    rule(redirects) {
      if (redirects.length > 0) return failed('The browser was redirected to an unregistered address.');
      return passed('The browser was not redirected.');
    },
  }),
];
