import { parametersOf, redirectOf } from '@/lib/oauth/assessment/outcomes';
import { CannotProbe, passedIf, required } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';
import { acceptsAuthorization, refusesAuthorizations, refusesRedirectUris } from '@/lib/oauth/controls/patterns';

/** Where codes and errors may be sent (RFC 9700 section 4.1). */
export const REDIRECT_URIS = controlsIn('authorization', [
  refusesRedirectUris({
    id: 'strict-redirect-uri',
    title: 'The redirect URI is compared exactly',
    severity: 'critical',
    source: ['RFC 9700 2.1', 'RFC 9700 4.1'],
    oauch: 'RedirectUriFullyMatchedTest',
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
    source: ['RFC 9700 4.1.3'],
    oauch: 'RedirectUriPathMatchedTest',
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
    source: ['RFC 9700 2.1', 'RFC 8252 7.3'],
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
    source: ['RFC 6749 3.1.2'],
    oauch: 'HasFragmentTest',
    protectsFrom: 'A fragment hides the code from the application, or hands it to a foreign script.',
    variants: (probe) => ({ 'a fragment': { redirect_uri: `${probe.target.client.redirectUri}#fragment` } }),
  }),
  refusesAuthorizations({
    id: 'redirect-uri-required',
    title: 'A client with several redirect URIs must name one',
    severity: 'medium',
    source: ['RFC 6749 3.1.2.3'],
    oauch: 'RedirectUriRequiredTest',
    protectsFrom: 'The response goes to an address that the client did not mean.',
    variants(probe) {
      if (!probe.target.severalRedirectUris) {
        throw new CannotProbe('not_applicable', 'The client has registered a single redirect URI.');
      }
      return { 'no redirect_uri': { redirect_uri: null } };
    },
  }),
  acceptsAuthorization({
    id: 'loopback-port',
    title: 'Native applications may use any port of the loopback address',
    severity: 'low',
    source: ['RFC 8252 7.3'],
    protectsFrom: 'Native applications fall back to less secure ways of receiving the code.',
    async request(probe) {
      const client = required(probe.target.nativeClient, 'No native client is known.', 'not_applicable');
      const url = new URL(client.redirectUri);
      url.port = '49152';
      return probe.authorize('Another port of the loopback address', { redirect_uri: url.href }, { client });
    },
    subject: 'Another port',
  }),
  defineControl({
    id: 'no-open-redirect-on-error',
    title: 'Errors go back to registered addresses only',
    severity: 'critical',
    source: ['RFC 9700 4.11.2', 'RFC 6749 4.1.2.1'],
    oauch: 'InvalidRedirectTest',
    protectsFrom: 'The server becomes an open redirector that lends its name to phishing.',
    async probe(probe) {
      const redirect_uri = 'https://unregistered.example/landing';
      const pages = [
        await probe.browse('An unknown client', { client_id: 'no-such-client', redirect_uri }),
        await probe.browse('An unregistered redirect URI', { redirect_uri }),
      ];
      // A redirect that carries a code is not an error: strict-redirect-uri assesses it.
      const targets = pages.map((page) => redirectOf(page) ?? '');
      return targets.some((target) => target.startsWith(redirect_uri) && !('code' in parametersOf(target)));
    },
    rule: (redirected) =>
      passedIf(
        !redirected,
        'The browser was not redirected.',
        'The browser was redirected to an unregistered address.',
      ),
  }),
]);
