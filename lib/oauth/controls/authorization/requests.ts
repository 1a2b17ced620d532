import { responseJson } from '@/lib/oauth/assessment/exchange';
import { parametersOf, redirectOf, type TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import { WITHOUT_PKCE } from '@/lib/oauth/assessment/probe';
import { CannotProbe, failed, inconclusive, passed, passedIf, required } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';
import {
  acceptsAuthorization,
  refusesAuthorizations,
  refusesRedirectUris,
  refusesRequests,
} from '@/lib/oauth/controls/patterns';

/**
 * What an authorization request may ask for, and how: redirect URIs (RFC 9700 section 4.1), PKCE (RFC 7636 sections 4.2
 * and 4.3), parameters (RFC 6749 sections 3.1 and 3.3, RFC 9126).
 */
export const AUTHORIZATION_REQUESTS = controlsIn('authorization', [
  refusesRedirectUris('strict-redirect-uri', 'critical', 'The redirect URI is compared exactly', {
    source: ['RFC 9700 2.1', 'RFC 9700 4.1', 'OAuch RedirectUriFullyMatchedTest'],
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
  refusesRedirectUris('redirect-uri-wildcard', 'critical', 'Registered redirect URIs are not patterns', {
    source: ['RFC 9700 4.1.3', 'OAuch RedirectUriPathMatchedTest'],
    protectsFrom: 'An address that merely begins like the registered one receives the code.',
    uris: (registered) => ({
      'a name appended': `${registered}-of-somebody-else`,
      'a host appended': `${registered}.unregistered.example`,
    }),
  }),
  refusesRedirectUris('redirect-uri-scheme', 'high', 'Redirect URIs use https, or http on a loopback address', {
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
  refusesAuthorizations('redirect-uri-fragment', 'medium', 'Redirect URIs have no fragment', {
    source: ['RFC 6749 3.1.2', 'OAuch HasFragmentTest'],
    protectsFrom: 'A fragment hides the code from the application, or hands it to a foreign script.',
    variants: (probe) => ({ 'a fragment': { redirect_uri: `${probe.target.client.redirectUri}#fragment` } }),
  }),
  refusesAuthorizations('redirect-uri-required', 'medium', 'A client with several redirect URIs must name one', {
    source: ['RFC 6749 3.1.2.3', 'OAuch RedirectUriRequiredTest'],
    protectsFrom: 'The response goes to an address that the client did not mean.',
    variants(probe) {
      if (!probe.target.severalRedirectUris) {
        throw new CannotProbe('not_applicable', 'The client has registered a single redirect URI.');
      }
      return { 'no redirect_uri': { redirect_uri: null } };
    },
  }),
  acceptsAuthorization('loopback-port', 'low', 'Native applications may use any port of the loopback address', {
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
  defineControl('no-open-redirect-on-error', 'critical', 'Errors go back to registered addresses only', {
    source: ['RFC 9700 4.11.2', 'RFC 6749 4.1.2.1', 'OAuch InvalidRedirectTest'],
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
  refusesAuthorizations('require-pkce', 'critical', 'PKCE is required', {
    source: ['RFC 9700 2.1.1', 'RFC 7636 4.4.1', 'OAuch IsPkceRequiredTest'],
    protectsFrom: 'Anyone who obtains a code can redeem it, or inject it into another session.',
    variants: () => ({ 'no code_challenge': WITHOUT_PKCE }),
  }),
  refusesAuthorizations('pkce-s256', 'high', 'Only S256 challenges are accepted', {
    source: ['RFC 9700 2.1.1', 'RFC 7636 7.2', 'OAuch PlainPkceDisabledTest'],
    protectsFrom: 'A plain challenge reveals the verifier to anyone who sees the authorization request.',
    variants: () => ({
      'the method plain': { code_challenge_method: 'plain' },
      'no method, which means plain': { code_challenge_method: null },
    }),
  }),
  refusesAuthorizations('pkce-challenge-syntax', 'medium', 'Malformed challenges are refused', {
    source: ['RFC 7636 4.2', 'OAuch ShortVerifierTest'],
    protectsFrom: 'A short or guessable challenge protects nothing.',
    variants: () => ({
      '42 characters': { code_challenge: 'a'.repeat(42) },
      padding: { code_challenge: `${'a'.repeat(43)}=` },
      'characters outside the alphabet': { code_challenge: `${'a'.repeat(41)}+/` },
    }),
  }),
  refusesAuthorizations('response-type-code', 'high', 'There is no implicit or hybrid grant', {
    source: ['RFC 9700 2.1.2', 'OAuch ImplicitFlowsSupportedTest'],
    protectsFrom: 'Access tokens appear in addresses, histories and logs.',
    variants: () => ({
      'response_type token': { response_type: 'token' },
      'response_type code token': { response_type: 'code token' },
    }),
  }),
  defineControl('scope-limits', 'high', "No scope beyond the client's registration", {
    source: ['RFC 6749 3.3'],
    protectsFrom: 'A client gains rights that it was never meant to have.',
    async probe(probe) {
      const asked = 'sluice_unregistered_scope';
      const outcome = await probe.authorize('An unregistered scope', { scope: `${probe.target.scope} ${asked}` });
      if (outcome.kind !== 'granted') return { asked, outcome, scope: null };
      const code = required(outcome.parameters.code, 'The server gave no code.');
      const tokens = await probe.redeem('Redeem the code', { code, verifier: outcome.verifier });
      return { asked, outcome, scope: tokens.kind === 'issued' ? tokens.tokens.scope : null };
    },
    rule({ asked, outcome, scope }) {
      if (outcome.kind === 'page') return inconclusive('The server showed a page.');
      if (outcome.kind === 'refused') return passed('The request was refused.');
      if (scope === null) return failed('The request was accepted, and the response does not state the scope.');
      const narrowed = !scope.split(' ').includes(asked);
      return passedIf(narrowed, 'The scope was narrowed, and the response says so.', 'The scope was granted.');
    },
  }),
  refusesRequests('duplicate-parameters', 'medium', 'Repeated parameters are refused', {
    source: ['RFC 6749 3.1', 'OAuch SameParameterTwiceDisallowedTest'],
    protectsFrom: 'Two parts of a system read different values from one request.',
    async requests(probe) {
      const parameters = probe.authorizationParameters();
      parameters.append('client_id', 'another-client');
      return { 'client_id twice': await probe.authorizeWith('client_id twice', parameters) };
    },
  }),
  acceptsAuthorization('unknown-parameter-ignored', 'low', 'Unknown parameters are ignored', {
    source: ['RFC 6749 3.1', 'OAuch UnrecognizedParameterAllowedTest'],
    protectsFrom: 'Clients with newer extensions cannot use the server.',
    request: (probe) => probe.authorize('An unknown parameter', { sluice_unknown: 'anything' }),
    subject: 'The request',
  }),
  refusesRequests('client-id-mixup', 'high', 'The client_id of query, body and Basic must agree', {
    source: ['RFC 6749 3.2.1', 'OAuch ClientIdsCorrespondTest'],
    protectsFrom: 'One part of the server authenticates one client, another part serves a second.',
    async requests(probe) {
      const other = probe.otherClient();
      const query = `?client_id=${encodeURIComponent(other.id)}`;
      const redeem = async (label: string, options: { query?: string; headers?: Record<string, string> }) =>
        probe.redeem(label, await probe.code(), {}, options);
      const outcomes: Record<string, TokenOutcome> = {};
      outcomes['another client in the query'] = await redeem('Another client in the query', { query });
      if (other.secret !== null) {
        const headers = { authorization: `Basic ${Buffer.from(`${other.id}:${other.secret}`).toString('base64')}` };
        outcomes['another client in Basic'] = await redeem('Another client in Basic', { headers });
      }
      return outcomes;
    },
  }),
  defineControl('par', 'info', 'A pushed authorization request works once, exactly as pushed', {
    source: ['RFC 9126 2.2', 'RFC 9126 4', 'OAuch IsRequestUriRevokedTest, AcceptsNewRedirectUriTest'],
    protectsFrom: 'Anyone who sees a request_uri can use it again, or change what was requested.',
    async probe(probe) {
      const endpoint = await probe.endpoint('pushed_authorization_request_endpoint');
      const verifier = probe.randomText();
      const body = probe.authorizationParameters({ state: 'pushed' });
      for (const [name, value] of Object.entries(probe.credentials())) body.set(name, value);
      const pushed = responseJson(await probe.send('Push a request', endpoint, { method: 'POST', body }));
      const { request_uri } = pushed;
      if (typeof request_uri !== 'string') {
        throw new CannotProbe('inconclusive', 'The server did not accept the pushed request.');
      }
      const parameters = new URLSearchParams({ client_id: probe.target.client.id, request_uri, state: 'added' });
      return {
        first: await probe.authorizeWith('Use the pushed request, with another state beside it', parameters, verifier),
        second: await probe.authorizeWith('Use it again', parameters, verifier),
      };
    },
    rule({ first, second }) {
      if (first.kind !== 'granted') return inconclusive('The pushed request was not granted.');
      if (first.parameters.state !== 'pushed') {
        return failed('A parameter beside the request_uri overrode the pushed one.');
      }
      const once = second.kind !== 'granted';
      return passedIf(once, 'It worked once, exactly as pushed.', 'The request_uri worked twice.');
    },
  }),
]);
