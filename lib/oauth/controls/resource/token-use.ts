import { decodeJwt, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { responseHeader } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe, failed, inconclusive, passedIf, required } from '@/lib/oauth/assessment/verdict';
import { controlsIn, defineControl } from '@/lib/oauth/controls/control';
import { unguessable } from '@/lib/oauth/controls/guessing-space';
import { refusesAccessTokens } from '@/lib/oauth/controls/patterns';
import { takeApart } from '@/lib/oauth/controls/token-parts';

async function revoke(probe: Probe, what: string, token: string, client?: TargetClient): Promise<number> {
  const body = new URLSearchParams({ ...probe.credentials(client), token });
  const endpoint = await probe.endpoint('revocation_endpoint');
  return (await probe.send(`Revoke the ${what}`, endpoint, { method: 'POST', body })).response.status;
}

/**
 * An access token that was revoked, or whose refresh token was. @throws CannotProbe where the server revokes nothing, no
 * token works in the first place, or the revocation is not answered with 200 (RFC 7009 section 2.2)
 */
async function revokedToken(probe: Probe, what: 'access token' | 'refresh token'): Promise<string> {
  await probe.endpoint('revocation_endpoint');
  await probe.workingToken();
  const isRefresh = what === 'refresh token';
  const { accessToken, refreshToken } = isRefresh ? await probe.flowWithRefresh() : await probe.flow();
  const status = await revoke(probe, what, (isRefresh ? refreshToken : null) ?? accessToken);
  if (status !== 200) throw new CannotProbe('inconclusive', `The revocation was answered with ${status}.`);
  return accessToken;
}

/** A DPoP proof for a POST (RFC 9449 section 4.2) by a new key. */
async function makeProof(htu: string, jti: string, iat: number): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const { kty, crv, x, y } = await exportJWK(publicKey);
  return new SignJWT({ htm: 'POST', htu, jti, iat })
    .setProtectedHeader({ alg: 'ES256', typ: 'dpop+jwt', jwk: { kty, crv, x, y } })
    .sign(privateKey);
}

/** What distinguishes one access token from another: its id, or the whole of an opaque token. */
function tokenId(token: string): string {
  try {
    return decodeJwt(token).jti ?? token.split('.')[2] ?? token;
  } catch {
    return token;
  }
}

/** How access tokens are revoked, issued and presented (RFC 7009, RFC 6750, RFC 9700 section 2.2). */
export const TOKEN_USE = controlsIn('resource', [
  refusesAccessTokens('revocation-effective', 'medium', 'A revoked token is refused', {
    source: ['RFC 7009 2', 'OAuch CanAccessTokensBeRevokedTest'],
    protectsFrom: 'Signing out, or reporting a theft, changes nothing.',
    tokens: async (probe) => ({ 'the revoked token': await revokedToken(probe, 'access token') }),
  }),
  refusesAccessTokens('revocation-cascade', 'medium', 'Revoking a refresh token ends its access tokens', {
    source: ['RFC 7009 2.1', 'OAuch RefreshRevokesAccessTest'],
    protectsFrom: 'What was obtained with a stolen refresh token keeps working after its revocation.',
    tokens: async (probe) => ({
      'an access token whose refresh token is revoked': await revokedToken(probe, 'refresh token'),
    }),
  }),
  defineControl('revocation-client-bound', 'medium', 'A client cannot revoke the tokens of another', {
    source: ['RFC 7009 2.1', 'OAuch IsBoundToClientTest'],
    protectsFrom: 'Anyone with a client can end the sessions of others.',
    async probe(probe) {
      await probe.endpoint('revocation_endpoint');
      const other = probe.otherClient();
      await probe.workingToken();
      const { accessToken } = await probe.flow();
      await revoke(probe, 'token as another client', accessToken, other);
      return probe.presentToken('Use the token', accessToken);
    },
    rule: ({ kind }) => passedIf(kind === 'opened', 'The token still works.', 'Another client revoked the token.'),
  }),
  refusesAccessTokens('scope-enforced', 'high', 'The scope of a token is enforced', {
    source: ['RFC 6750 3.1'],
    protectsFrom: 'A token for one thing does another.',
    async tokens(probe) {
      const needed = required(probe.target.resource?.scope, 'The scope that the resource needs is not known.');
      await probe.workingToken();
      const scope = probe.scopeWithout(needed);
      if (scope === '') throw new CannotProbe('inconclusive', 'No other scope is known.');
      return { 'a token without the scope': (await probe.flow({ scope })).accessToken };
    },
  }),
  refusesAccessTokens('no-token-in-query', 'medium', 'A token in the URL is refused', {
    source: ['RFC 9700 4.3.2', 'RFC 6750 2.3', 'OAuch TokenAsQueryParameterDisabledTest'],
    protectsFrom: 'Tokens end up in logs, histories and Referer headers.',
    inQuery: true,
    tokens: async (probe) => ({ 'a token in the URL': (await probe.workingToken()).accessToken }),
  }),
  refusesAccessTokens('sender-constrained', 'info', 'A key-bound token needs proof of possession', {
    source: ['RFC 9449 7', 'RFC 9700 2.2.1', 'OAuch IsDPoPTokenRequiredTest'],
    protectsFrom: 'A stolen token works without the key that it is bound to.',
    async tokens(probe) {
      const metadata = await probe.metadata();
      if (!Array.isArray(metadata.dpop_signing_alg_values_supported)) {
        throw new CannotProbe('not_applicable', 'The server does not offer DPoP.');
      }
      const issuedAt = Number(takeApart((await probe.workingToken()).accessToken).claims.iat);
      const proof = await makeProof(await probe.endpoint('token_endpoint'), probe.randomText(), issuedAt);
      const given = await probe.code();
      const outcome = await probe.redeem('Redeem with a proof', given, {}, { headers: { dpop: proof } });
      if (outcome.kind === 'refused') throw new CannotProbe('inconclusive', 'The server did not accept the proof.');
      if (outcome.tokens.type.toLowerCase() !== 'dpop') {
        throw new CannotProbe('inconclusive', 'The token was not bound.');
      }
      return { 'a bound token without a proof': outcome.tokens.accessToken };
    },
  }),
  defineControl('short-token-lifetime', 'medium', 'Bearer tokens live for at most 15 minutes', {
    source: ['RFC 9700 2.2', 'RFC 6749 10.3', 'OAuch ShortTokenTimeoutTest, TokenTimeoutTest'],
    protectsFrom: 'A leaked token works for a long time.',
    async probe(probe) {
      const { accessToken, expiresIn } = await probe.flow();
      const { exp, iat } = accessToken.split('.').length === 3 ? takeApart(accessToken).claims : {};
      return { expiresIn, signed: exp !== undefined && iat !== undefined ? exp - iat : null };
    },
    rule({ expiresIn, signed }) {
      if (expiresIn === null && signed === null) return inconclusive('The server states no token lifetime.');
      const longest = Math.max(expiresIn ?? 0, signed ?? 0);
      const reason = `A token lives for ${longest} seconds.`;
      return passedIf(longest <= 900, reason, reason);
    },
  }),
  defineControl('token-entropy', 'high', 'Tokens cannot be guessed', {
    source: ['RFC 6749 10.10', 'OAuch AccessTokenEntropyMinReqTest, RefreshTokenEntropyMinReqTest'],
    protectsFrom: 'An attacker guesses the token of another user.',
    async probe(probe) {
      const flows = await Promise.all(Array.from({ length: 64 }, () => probe.flow()));
      const access = flows.map(({ accessToken }) => tokenId(accessToken));
      const refresh = flows.flatMap(({ refreshToken }) => (refreshToken === null ? [] : [refreshToken]));
      return [
        { label: 'Access tokens', values: access },
        ...(refresh.length === 0 ? [] : [{ label: 'refresh tokens', values: refresh }]),
      ];
    },
    rule: unguessable,
  }),
  defineControl('www-authenticate', 'low', 'A refusal names the error', {
    source: ['RFC 6750 3'],
    protectsFrom: 'Clients cannot distinguish a bad token from a broken server.',
    probe: (probe) => probe.presentToken('Present a malformed token', 'not-a-token'),
    rule({ status, exchange }) {
      if (status !== 401) return failed(`The status was ${status}, not 401.`);
      const challenge = responseHeader(exchange, 'www-authenticate') ?? '';
      const named = /^(bearer|dpop)\b.*\berror=/i.test(challenge);
      return passedIf(named, 'WWW-Authenticate names the error.', 'WWW-Authenticate does not name the error.');
    },
  }),
]);
