import { responseJson } from '@/lib/oauth/assessment/exchange';
import type { TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import { CannotProbe, failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import {
  everyAuthorizationRefused,
  refusesAuthorizations,
  refusesTokenRequests,
} from '@/lib/oauth/controls/refused-requests';

/** What an authorization request may ask for, and how (RFC 6749 sections 3.1 and 3.3, RFC 9126). */
export const PARAMETERS: readonly Control[] = [
  refusesAuthorizations({
    id: 'response-type-code',
    title: 'There is no implicit or hybrid grant',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9700 2.1.2'],
    oauch: 'ImplicitFlowsSupportedTest',
    switchable: true,
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
    area: 'authorization',
    source: ['RFC 6749 3.3'],
    switchable: true,
    protectsFrom: 'A client gains rights that it was never meant to have.',
    async probe(probe) {
      const asked = 'sluice_unregistered_scope';
      const outcome = await probe.authorize('An unregistered scope', {
        scope: `${probe.target.scope} ${asked}`,
      });
      if (outcome.kind !== 'granted') return { asked, outcome, scope: null };
      const { code } = outcome.parameters;
      if (code === undefined) throw new CannotProbe('inconclusive', 'The server gave no code.');
      const tokens = await probe.redeem('Redeem the code', { code, verifier: outcome.verifier });
      return { asked, outcome, scope: tokens.kind === 'issued' ? tokens.tokens.scope : null };
    },
    rule({ asked, outcome, scope }) {
      if (outcome.kind === 'page') return inconclusive('The server showed a page.');
      if (outcome.kind === 'refused') return passed('The request was refused.');
      if (scope === null) return failed('The request was accepted, and the response does not state the scope.');
      return scope.split(' ').includes(asked)
        ? failed('The scope was granted.')
        : passed('The scope was narrowed, and the response says so.');
    },
  }),
  defineControl({
    id: 'duplicate-parameters',
    title: 'Repeated parameters are refused',
    severity: 'medium',
    area: 'authorization',
    source: ['RFC 6749 3.1'],
    oauch: 'SameParameterTwiceDisallowedTest',
    switchable: false,
    protectsFrom: 'Two parts of a system read different values from one request.',
    async probe(probe) {
      const parameters = probe.authorizationParameters();
      parameters.append('client_id', 'another-client');
      return new Map([['client_id twice', await probe.authorizeWith('client_id twice', parameters)]]);
    },
    rule: everyAuthorizationRefused,
  }),
  defineControl({
    id: 'unknown-parameter-ignored',
    title: 'Unknown parameters are ignored',
    severity: 'low',
    area: 'authorization',
    source: ['RFC 6749 3.1'],
    oauch: 'UnrecognizedParameterAllowedTest',
    switchable: false,
    protectsFrom: 'Clients with newer extensions cannot use the server.',
    probe(probe) {
      return probe.authorize('An unknown parameter', { sluice_unknown: 'anything' });
    },
    rule(outcome) {
      if (outcome.kind === 'page') return inconclusive('The server showed a page.');
      return outcome.kind === 'granted' ? passed('The request was accepted.') : failed('The request was refused.');
    },
  }),
  refusesTokenRequests({
    id: 'client-id-mixup',
    title: 'The client_id of query, body and Basic must agree',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 6749 3.2.1'],
    oauch: 'ClientIdsCorrespondTest',
    switchable: false,
    protectsFrom: 'One part of the server authenticates one client, another part serves a second.',
    async requests(probe) {
      const other = probe.otherClient();
      const query = `?client_id=${encodeURIComponent(other.id)}`;
      const outcomes: Record<string, TokenOutcome> = {
        'another client in the query': await probe.redeem(
          'Another client in the query',
          await probe.code(),
          {},
          { query },
        ),
      };
      if (other.secret !== null) {
        const headers = { authorization: `Basic ${Buffer.from(`${other.id}:${other.secret}`).toString('base64')}` };
        const label = 'another client in Basic';
        outcomes[label] = await probe.redeem('Another client in Basic', await probe.code(), {}, { headers });
      }
      return outcomes;
    },
  }),
  defineControl({
    id: 'par',
    title: 'A pushed authorization request works once, exactly as pushed',
    severity: 'info',
    area: 'authorization',
    source: ['RFC 9126 2.2', 'RFC 9126 4'],
    oauch: 'IsRequestUriRevokedTest, AcceptsNewRedirectUriTest',
    switchable: true,
    protectsFrom: 'Anyone who sees a request_uri can use it again, or change what was requested.',
    async probe(probe) {
      const endpoint = await probe.endpoint('pushed_authorization_request_endpoint');
      const { client } = probe.target;
      const verifier = probe.randomText();
      const body = probe.authorizationParameters({ state: 'pushed' });
      for (const [name, value] of Object.entries(probe.credentials())) body.set(name, value);
      const pushed = responseJson(await probe.send('Push a request', endpoint, { method: 'POST', body }));
      const { request_uri: uri } = pushed;
      if (typeof uri !== 'string')
        throw new CannotProbe('inconclusive', 'The server did not accept the pushed request.');
      const parameters = new URLSearchParams({ client_id: client.id, request_uri: uri, state: 'added' });
      return {
        first: await probe.authorizeWith('Use the pushed request, with another state beside it', parameters, verifier),
        second: await probe.authorizeWith('Use it again', parameters, verifier),
      };
    },
    rule({ first, second }) {
      if (first.kind !== 'granted') return inconclusive('The pushed request was not granted.');
      if (first.parameters.state !== 'pushed')
        return failed('A parameter beside the request_uri overrode the pushed one.');
      return second.kind === 'granted'
        ? failed('The request_uri worked twice.')
        : passed('It worked once, exactly as pushed.');
    },
  }),
];
