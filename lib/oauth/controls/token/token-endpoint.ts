import { responseHeader, responseJson } from '@/lib/oauth/assessment/exchange';
import { CannotProbe, failed, passed, passedIf } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';
import { attemptEach, everyRefused, labelsWhere, refusesRequests } from '@/lib/oauth/controls/patterns';

/** Client authentication and hygiene of the token endpoint (RFC 6749 sections 2.3 and 3.2). */
export const TOKEN_ENDPOINT = controlsIn('token', [
  defineControl({
    id: 'client-authentication',
    title: 'A confidential client must authenticate',
    severity: 'critical',
    source: ['RFC 6749 3.2.1'],
    oauch: 'IsClientAuthenticationRequiredTest',
    protectsFrom: 'Anyone can act as a client whose id they know.',
    async probe(probe) {
      const client = probe.confidentialClient();
      const secrets = { 'no secret': null, 'a wrong secret': 'not-the-secret' };
      return attemptEach(secrets, async (label, client_secret) => {
        const given = await probe.code({}, { client });
        const fields = { client_secret, redirect_uri: client.redirectUri };
        return probe.redeem(`Redeem with ${label}`, given, fields, { client });
      });
    },
    rule(attempts) {
      const verdict = everyRefused(attempts);
      const [other] = labelsWhere(
        attempts,
        (outcome) => outcome.kind === 'refused' && outcome.error !== 'invalid_client',
      );
      if (verdict.kind !== 'passed' || other === undefined) return verdict;
      return failed(`The server refused, but not as invalid_client: ${other}.`);
    },
  }),
  refusesRequests({
    id: 'credentials-in-uri',
    title: 'Client credentials in the URL are refused',
    severity: 'medium',
    source: ['RFC 6749 2.3.1'],
    oauch: 'IsAuthInUriAllowedTest',
    protectsFrom: 'Secrets end up in logs and histories.',
    async requests(probe) {
      const client = probe.confidentialClient();
      const given = await probe.code({}, { client });
      const query = `?${new URLSearchParams({ client_id: client.id, client_secret: client.secret })}`;
      const fields = { redirect_uri: client.redirectUri, client_secret: null };
      const outcome = await probe.redeem('The secret in the query', given, fields, { client, query });
      return { 'the secret in the query': outcome };
    },
  }),
  defineControl({
    id: 'no-password-grant',
    title: 'The password grant is disabled',
    severity: 'high',
    source: ['RFC 9700 2.4'],
    oauch: 'IsPasswordFlowDisabledTest',
    protectsFrom: 'Applications see the passwords of their users.',
    async probe(probe) {
      const fields = { grant_type: 'password', username: 'sluice', password: 'sluice', scope: probe.target.scope };
      return probe.tokenRequest('Ask with a password', fields);
    },
    rule(outcome) {
      if (outcome.kind === 'issued') return failed('A token was issued for a password.');
      if (outcome.error === 'invalid_grant') return failed('The grant exists: only the password was wrong.');
      return passed(`The server refused with ${outcome.error ?? `status ${outcome.status}`}.`);
    },
  }),
  defineControl({
    id: 'token-no-store',
    title: 'Token responses are not cached',
    severity: 'low',
    source: ['RFC 6749 5.1'],
    oauch: 'HasCacheControlHeaderTest',
    protectsFrom: 'Tokens stay in caches.',
    async probe(probe) {
      const outcome = await probe.redeem('Redeem a code', await probe.code());
      if (outcome.kind === 'refused') throw new CannotProbe('inconclusive', 'No token was issued.');
      return responseHeader(outcome.exchange, 'cache-control');
    },
    rule(header) {
      const seen = /\bno-store\b/i.test(header ?? '');
      return passedIf(seen, 'Cache-Control: no-store was seen.', 'No Cache-Control: no-store was seen.');
    },
  }),
  defineControl({
    id: 'token-post-only',
    title: 'The token endpoint refuses GET',
    severity: 'medium',
    source: ['RFC 6749 3.2'],
    oauch: 'IsGetSupportedTest',
    protectsFrom: 'Codes and tokens end up in logs and caches.',
    async probe(probe) {
      const given = await probe.code();
      const url = new URL(await probe.endpoint('token_endpoint'));
      const fields = { grant_type: 'authorization_code', code: given.code, code_verifier: given.verifier };
      const all = { ...probe.credentials(), ...fields, redirect_uri: probe.target.client.redirectUri };
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
      return responseJson(await probe.send('Redeem a code by GET', url.href));
    },
    rule: (body) => passedIf(!('access_token' in body), 'The GET was refused.', 'The server issued a token to a GET.'),
  }),
]);
