import { responseJson } from '@/lib/oauth/assessment/exchange';
import type { TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import { CannotProbe, failed, inconclusive, passed, passedIf, required } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';
import { acceptsAuthorization, refusesAuthorizations, refusesRequests } from '@/lib/oauth/controls/patterns';

/** What an authorization request may ask for, and how (RFC 6749 sections 3.1 and 3.3, RFC 9126). */
export const PARAMETERS = controlsIn('authorization', [
  refusesAuthorizations({
    id: 'response-type-code',
    title: 'There is no implicit or hybrid grant',
    severity: 'high',
    source: ['RFC 9700 2.1.2'],
    oauch: 'ImplicitFlowsSupportedTest',
    protectsFrom: 'Access tokens appear in addresses, histories and logs.',
    variants: () => ({
      'response_type token': { response_type: 'token' },
      'response_type code token': { response_type: 'code token' },
    }),
  }),
  defineControl({
    id: 'scope-limits',
    title: "No scope beyond the client's registration",
    severity: 'high',
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
  refusesRequests({
    id: 'duplicate-parameters',
    title: 'Repeated parameters are refused',
    severity: 'medium',
    source: ['RFC 6749 3.1'],
    oauch: 'SameParameterTwiceDisallowedTest',
    protectsFrom: 'Two parts of a system read different values from one request.',
    async requests(probe) {
      const parameters = probe.authorizationParameters();
      parameters.append('client_id', 'another-client');
      return { 'client_id twice': await probe.authorizeWith('client_id twice', parameters) };
    },
  }),
  acceptsAuthorization({
    id: 'unknown-parameter-ignored',
    title: 'Unknown parameters are ignored',
    severity: 'low',
    source: ['RFC 6749 3.1'],
    oauch: 'UnrecognizedParameterAllowedTest',
    protectsFrom: 'Clients with newer extensions cannot use the server.',
    request: (probe) => probe.authorize('An unknown parameter', { sluice_unknown: 'anything' }),
    subject: 'The request',
  }),
  refusesRequests({
    id: 'client-id-mixup',
    title: 'The client_id of query, body and Basic must agree',
    severity: 'high',
    source: ['RFC 6749 3.2.1'],
    oauch: 'ClientIdsCorrespondTest',
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
  defineControl({
    id: 'par',
    title: 'A pushed authorization request works once, exactly as pushed',
    severity: 'info',
    source: ['RFC 9126 2.2', 'RFC 9126 4'],
    oauch: 'IsRequestUriRevokedTest, AcceptsNewRedirectUriTest',
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
