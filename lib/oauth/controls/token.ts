import { createHash } from 'node:crypto';
import { responseHeader, responseJson } from '@/lib/oauth/assessment/exchange';
import { WITHOUT_PKCE } from '@/lib/oauth/assessment/probe';
import { CannotProbe, failed, passed, passedIf, required } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';
import { attemptEach, everyRefused, labelsWhere, refusesRequests, worksOnce } from '@/lib/oauth/controls/patterns';

/**
 * The token endpoint: PKCE (RFC 7636 section 4.6), refresh tokens (RFC 9700 section 4.14, RFC 6749 section 6), client
 * authentication and hygiene (RFC 6749 sections 2.3 and 3.2).
 */
export const TOKEN_REQUESTS = controlsIn('token', [
  refusesRequests('pkce-verified', 'critical', 'The code verifier is checked', {
    source: ['RFC 7636 4.6', 'OAuch IsPkceImplementedTest, IsPkceTokenDowngradeDetectedTest'],
    protectsFrom: 'PKCE is required and protects nothing.',
    async requests(probe) {
      const redeem = async (what: string, code_verifier: string | null) =>
        probe.redeem(`Redeem with ${what}`, await probe.code(), { code_verifier });
      return {
        'a wrong verifier': await redeem('a wrong verifier', 'x'.repeat(43)),
        'no verifier': await redeem('no verifier', null),
        'a verifier that is too short': await redeem('a verifier that is too short', 'short'),
      };
    },
  }),
  refusesRequests('pkce-downgrade', 'high', 'A verifier without a challenge is refused', {
    source: ['RFC 9700 2.1.1', 'RFC 9700 4.8.2', 'OAuch IsPkceDowngradeDetectedTest'],
    protectsFrom: 'An attacker strips PKCE from the request and injects the resulting code.',
    async requests(probe) {
      const outcome = await probe.authorize('Ask without a challenge', WITHOUT_PKCE, { without: ['require-pkce'] });
      if (outcome.kind === 'refused') {
        throw new CannotProbe('not_applicable', 'The server gives no code without a challenge.');
      }
      const code = required(outcome.kind === 'page' ? null : outcome.parameters.code, 'The server gave no code.');
      const given = { code, verifier: probe.randomText() };
      return { 'a verifier for a code without a challenge': await probe.redeem('Redeem with a verifier', given) };
    },
  }),
  refusesRequests('pkce-method-downgrade', 'high', 'An S256 challenge cannot be redeemed as a plain one', {
    source: ['RFC 7636 7.2', 'OAuch IsPkcePlainDowngradeDetectedTest'],
    protectsFrom: 'Anyone who saw the authorization request can redeem the code.',
    async requests(probe) {
      const given = await probe.code();
      const challenge = createHash('sha256').update(given.verifier).digest('base64url');
      const outcome = await probe.redeem('Send the challenge as the verifier', given, { code_verifier: challenge });
      return { 'the challenge as the verifier': outcome };
    },
  }),
  worksOnce('refresh-rotation', 'high', 'A refresh token of a public client works once', {
    source: ['RFC 9700 4.14.2', 'OAuch UsesTokenRotationTest, RefreshTokenRevokedAfterUseTest'],
    protectsFrom: 'A stolen refresh token works for as long as the legitimate one.',
    async uses(probe) {
      const { refreshToken } = await probe.flowWithRefresh();
      return [
        await probe.refresh('Refresh', refreshToken),
        await probe.refresh('Refresh again with the same token', refreshToken),
      ];
    },
    never: 'The refresh token did not work at all.',
    twice: 'The refresh token worked twice.',
    once: 'The second use was refused.',
  }),
  defineControl('refresh-reuse-revokes', 'high', 'Reuse of a refresh token ends its family', {
    source: ['RFC 9700 4.14.2', 'OAuch InvalidatedRefreshTokenTest'],
    protectsFrom: 'A thief keeps using the newest token after the theft was noticed.',
    async probe(probe) {
      const { refreshToken } = await probe.flowWithRefresh();
      const first = await probe.refresh('Refresh', refreshToken);
      const newest = first.kind === 'issued' ? first.tokens.refreshToken : null;
      if (newest === null || newest === refreshToken) {
        throw new CannotProbe('not_applicable', 'Refresh tokens do not rotate here: see refresh-rotation.');
      }
      const reuse = await probe.refresh('Use the old token again', refreshToken);
      if (reuse.kind === 'issued') {
        throw new CannotProbe('not_applicable', 'Old refresh tokens stay in use here: see refresh-rotation.');
      }
      return probe.refresh('Use the newest token', newest);
    },
    rule: ({ kind }) =>
      passedIf(kind !== 'issued', 'The newest token no longer works either.', 'The newest token still works.'),
  }),
  defineControl('refresh-race', 'medium', 'Parallel refreshes do not fork a family', {
    source: ['RFC 9700 4.14.2', 'OAuch MultiFastRefreshTest'],
    protectsFrom: 'Thief and victim each get a token family of their own, unnoticed.',
    async probe(probe) {
      const { refreshToken } = await probe.flowWithRefresh();
      const race = Array.from({ length: 20 }, () => probe.refresh('Refresh in parallel', refreshToken));
      const given = (await Promise.all(race)).flatMap((use) =>
        use.kind === 'issued' ? (use.tokens.refreshToken ?? []) : [],
      );
      let alive = 0;
      for (const token of new Set(given)) {
        if ((await probe.refresh('Is this family alive?', token)).kind === 'issued') alive++;
      }
      return alive;
    },
    rule: (alive) =>
      passedIf(alive <= 1, `Of 20 refreshes at once, ${alive} families are alive.`, `${alive} families are alive.`),
  }),
  refusesRequests('refresh-client-binding', 'critical', 'A refresh token is bound to its client', {
    source: ['RFC 6749 6', 'OAuch IsRefreshBoundToClientTest'],
    protectsFrom: 'A client uses refresh tokens that were issued to another.',
    async requests(probe) {
      const client = probe.otherClient();
      const { refreshToken } = await probe.flowWithRefresh();
      const outcome = await probe.refresh('Refresh as another client', refreshToken, {}, { client });
      return { 'a refresh as another client': outcome };
    },
  }),
  defineControl('refresh-scope', 'medium', 'Refreshing does not widen the scope', {
    source: ['RFC 6749 6'],
    protectsFrom: 'A client gains rights that the user did not grant.',
    async probe(probe) {
      const { resource, scope: all } = probe.target;
      const wider = required(resource?.scope, 'No scope is known that could be added.');
      const narrow = probe.scopeWithout(wider);
      if (narrow === all) throw new CannotProbe('inconclusive', 'No scope is known that could be added.');
      const { refreshToken } = await probe.flowWithRefresh({ scope: narrow });
      const scope = `${narrow} ${wider}`;
      return { wider, outcome: await probe.refresh('Refresh with a wider scope', refreshToken, { scope }) };
    },
    rule({ wider, outcome }) {
      if (outcome.kind === 'refused') return passed('The wider scope was refused.');
      const widened = outcome.tokens.scope?.split(' ').includes(wider) ?? true;
      if (widened) return failed('The wider scope was granted.');
      return passed('The scope was narrowed, and the response says so.');
    },
  }),
  defineControl('client-authentication', 'critical', 'A confidential client must authenticate', {
    source: ['RFC 6749 3.2.1', 'OAuch IsClientAuthenticationRequiredTest'],
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
  refusesRequests('credentials-in-uri', 'medium', 'Client credentials in the URL are refused', {
    source: ['RFC 6749 2.3.1', 'OAuch IsAuthInUriAllowedTest'],
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
  defineControl('no-password-grant', 'high', 'The password grant is disabled', {
    source: ['RFC 9700 2.4', 'OAuch IsPasswordFlowDisabledTest'],
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
  defineControl('token-no-store', 'low', 'Token responses are not cached', {
    source: ['RFC 6749 5.1', 'OAuch HasCacheControlHeaderTest'],
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
  defineControl('token-post-only', 'medium', 'The token endpoint refuses GET', {
    source: ['RFC 6749 3.2', 'OAuch IsGetSupportedTest'],
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
