import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe, ignoreUndecided } from '@/lib/oauth/assessment/verdict';
import type { Control } from '@/lib/oauth/controls/control';
import { defineAccessTokenControl } from '@/lib/oauth/controls/refuses-access-tokens';
import { decodeWorkingToken, forgeLike, isJwt, takeApart } from '@/lib/oauth/controls/token-parts';

const OTHER_RESOURCE = 'https://another-resource.example/';

/**
 * Requests a token for another audience that the server knows: its own name, its UserInfo endpoint, or none in particular.
 * It need not be foreign to the resource, so that only its refusal decides.
 * @returns null if the server issues a token for any audience that is named, or none whose audience differs
 * @throws CannotProbe inconclusive if the resource accepts it
 */
async function requestForeignToken(probe: Probe, forAnything: string | null): Promise<string | null> {
  const listAudiences = (token: string) => [isJwt(token) ? takeApart(token).claims.aud : []].flat().map(String);
  if (forAnything !== null && listAudiences(forAnything).includes(OTHER_RESOURCE)) return null;
  const own = listAudiences((await probe.requireWorkingToken()).accessToken);
  const { issuer, userinfo_endpoint: userinfo } = await probe.fetchServerMetadata();
  for (const resource of [null, issuer, userinfo]) {
    if (resource !== null && typeof resource !== 'string') continue;
    const issued = await probe.runCodeFlow({ resource }).catch(ignoreUndecided);
    const audiences = issued === null ? [] : listAudiences(issued.accessToken);
    if (issued === null || audiences.length === 0 || audiences.some((audience) => own.includes(audience))) continue;
    if ((await probe.presentToken('Present a token for another audience', issued.accessToken)).accepted)
      throw new CannotProbe(
        'inconclusive',
        `The resource accepts tokens for ${audiences.join(', ')}, too, which may be a name of its own.`,
      );
    return issued.accessToken;
  }
  return null;
}

/** Condition for skipping a control: the resource accepts a token for any audience. */
const ANY_AUDIENCE = {
  control: 'validate-audience',
  token: (probe: Probe) => forgeLike(probe, { aud: OTHER_RESOURCE }),
};

/** Returns when the working token was issued, in Unix seconds. */
const readIssueTime = async (probe: Probe): Promise<number> => Number((await decodeWorkingToken(probe)).claims.iat);

/** Returns the time claims of an expired token. */
async function buildExpiredTimes(probe: Probe): Promise<{ iat: number; exp: number }> {
  const past = (await readIssueTime(probe)) - 3600;
  return { iat: past, exp: past + 600 };
}

/** @throws CannotProbe inconclusive if a new authorization ends the tokens of an earlier one */
async function requireLastingTokens(probe: Probe): Promise<void> {
  const { accessToken: early } = await probe.runCodeFlow();
  await probe.runCodeFlow();
  if ((await probe.presentToken('Use a token after another authorization', early)).accepted) return;
  throw new CannotProbe('inconclusive', 'A new authorization ends the tokens of an earlier one, before they expire.');
}

/** Controls for the claims of correctly signed tokens (RFC 9068 section 4). */
export const TOKEN_CLAIMS: readonly Control[] = [
  defineAccessTokenControl({
    id: 'issuer-validated',
    title: 'The issuer of a token is checked',
    wrong: 'The issuer of a token is not checked',
    severity: 'high',
    area: 'resource',
    source: ['RFC 9068 4'],
    switchable: true,
    needs: ['client', 'login', 'resource', 'server key'],
    protectsFrom: 'A token of another server, or of another tenant with the same key, is accepted.',
    tries: { 'a token from another issuer': 'RFC 9068 4' },
    tokens: async (probe) => ({
      'a token from another issuer': await forgeLike(probe, { iss: 'https://another-issuer.example' }),
    }),
  }),
  defineAccessTokenControl({
    id: 'validate-audience',
    title: 'The audience of a token is checked',
    wrong: 'The audience of a token is not checked',
    severity: 'critical',
    area: 'resource',
    source: ['RFC 9068 4', 'RFC 9700 2.3'],
    switchable: true,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'A token issued for another service is accepted here.',
    tries: { 'a token for another audience': 'CVE-2025-69196, GHSA-p2fr-6hmx-4528' },
    async tokens(probe) {
      await decodeWorkingToken(probe);
      const issued = await probe.runCodeFlow({ resource: OTHER_RESOURCE }).catch(() => null);
      const { forge } = probe.target.capabilities;
      const foreign = forge === undefined ? await requestForeignToken(probe, issued?.accessToken ?? null) : null;
      if (foreign !== null) return { 'a token for another audience': foreign };
      if (issued === null && forge === undefined)
        throw new CannotProbe(
          'inconclusive',
          'The server issues no token for another resource, and only its own key could sign one.',
        );
      const token = issued?.accessToken ?? (await forgeLike(probe, { aud: OTHER_RESOURCE }));
      if (![takeApart(token).claims.aud].flat().includes(OTHER_RESOURCE)) {
        throw new CannotProbe('inconclusive', 'The server issues no token for another resource.');
      }
      return { 'a token for another audience': token };
    },
  }),
  defineAccessTokenControl({
    id: 'token-type-header',
    title: 'Only access tokens are accepted as access tokens',
    wrong: 'Other tokens are accepted as access tokens',
    severity: 'high',
    area: 'resource',
    source: ['RFC 9068 2.1', 'RFC 9068 4', 'RFC 8725 3.11'],
    switchable: true,
    needs: ['client', 'login', 'resource'],
    protectsFrom:
      'An ID token, which the client shows to others, or a refresh token, which lives for months, opens the resource.',
    tries: {
      'an ID token': 'RFC 9068 4',
      'a refresh token': 'RFC 6749 1.5',
      'a token of type JWT': 'RFC 8725 3.11',
      'an ID token at UserInfo': 'OpenID Connect Core 5.3.1',
      'a refresh token at UserInfo': 'OpenID Connect Core 5.3.1',
    },
    elsewhere: ['at UserInfo'],
    async tokens(probe) {
      const { idToken, refreshToken: own } = await probe.requireWorkingToken();
      const refreshToken = own ?? (await probe.runCodeFlowWithRefresh().catch(ignoreUndecided))?.refreshToken ?? null;
      const canForge = probe.target.capabilities.forge !== undefined;
      if (idToken === null && refreshToken === null && !canForge)
        throw new CannotProbe('not_applicable', 'The server issues neither ID tokens nor refresh tokens.');
      return {
        ...(idToken === null ? {} : { 'an ID token': idToken }),
        ...(refreshToken === null ? {} : { 'a refresh token': refreshToken }),
        ...(canForge ? { 'a token of type JWT': await forgeLike(probe, {}, { typ: 'JWT' }) } : {}),
      };
    },
  }),
  defineAccessTokenControl({
    id: 'token-expiry',
    title: 'Expired tokens are refused',
    wrong: 'Expired tokens are accepted',
    severity: 'high',
    area: 'resource',
    source: ['RFC 9068 4'],
    oauch: 'IsExpirationCheckedTest',
    switchable: true,
    needs: ['client', 'login', 'resource', 'patience'],
    protectsFrom: 'A leaked token works for ever.',
    tries: { 'an expired token': 'RFC 9068 4', 'a token after its end': 'RFC 9068 4' },
    cost: 'waits',
    async tokens(probe) {
      const { capabilities, resource, patience } = probe.target;
      if (resource === null) throw new CannotProbe('not_applicable', 'No protected resource is known.');
      if (capabilities.forge !== undefined) {
        return { 'an expired token': await forgeLike(probe, await buildExpiredTimes(probe)) };
      }
      const { tokens, askedAt } = await probe.getReservedTokens();
      const { expiresIn } = tokens;
      if (expiresIn === null) throw new CannotProbe('inconclusive', 'The server states no token lifetime.');
      await requireLastingTokens(probe);
      // Clocks differ, so the token is presented half a minute after its end.
      const end = Math.ceil(askedAt + expiresIn);
      await probe.waitUntil(Math.max(end + 5, Math.min(end + 30, patience)));
      const seconds = Math.floor(probe.age() - askedAt - expiresIn);
      return { 'a token after its end': { [`${seconds} s`]: tokens.accessToken } };
    },
  }),
  defineAccessTokenControl({
    id: 'not-before',
    title: 'Tokens that are not yet valid are refused',
    wrong: 'Tokens that are not yet valid are accepted',
    severity: 'medium',
    area: 'resource',
    source: ['RFC 7519 4.1.5'],
    oauch: 'IsNotBeforeCheckedTest',
    switchable: true,
    needs: ['client', 'login', 'resource', 'server key'],
    protectsFrom: 'A token that was issued for later is used at once.',
    tries: { 'a token that becomes valid in an hour': 'RFC 7519 4.1.5' },
    tokens: async (probe) => ({
      'a token that becomes valid in an hour': await forgeLike(probe, { nbf: (await readIssueTime(probe)) + 3600 }),
    }),
  }),
  defineAccessTokenControl({
    id: 'exp-required',
    title: 'A token without exp is refused',
    wrong: 'A token without exp is accepted',
    severity: 'high',
    area: 'resource',
    source: ['RFC 9068 2.2', 'RFC 9068 4'],
    switchable: false,
    needs: ['client', 'login', 'resource', 'server key'],
    protectsFrom: 'A token that names no end works for ever.',
    tries: { 'a token without exp': 'RFC 9068 2.2' },
    within: { control: 'token-expiry', token: async (probe) => forgeLike(probe, await buildExpiredTimes(probe)) },
    tokens: async (probe) => ({ 'a token without exp': await forgeLike(probe, { exp: undefined }) }),
  }),
  defineAccessTokenControl({
    id: 'aud-required',
    title: 'A token without aud is refused',
    wrong: 'A token without aud is accepted',
    severity: 'high',
    area: 'resource',
    source: ['RFC 9068 2.2', 'RFC 9068 4'],
    switchable: false,
    needs: ['client', 'login', 'resource', 'server key'],
    protectsFrom: 'A token that was made for no service in particular opens this one.',
    tries: { 'a token without aud': 'RFC 9068 2.2' },
    within: ANY_AUDIENCE,
    tokens: async (probe) => ({ 'a token without aud': await forgeLike(probe, { aud: undefined }) }),
  }),
  defineAccessTokenControl({
    id: 'audience-exact',
    title: 'The audience is compared whole',
    wrong: 'Part of the audience is enough',
    severity: 'high',
    area: 'resource',
    source: ['RFC 9068 4'],
    switchable: false,
    needs: ['client', 'login', 'resource', 'server key'],
    protectsFrom: 'A token for a service whose name begins alike opens this one.',
    tries: {
      'an audience that begins with the right one': 'RFC 9068 4',
      'an audience that contains the right one': 'RFC 9068 4',
      'the beginning of the right audience': 'RFC 9068 4',
    },
    within: ANY_AUDIENCE,
    async tokens(probe) {
      const aud = [(await decodeWorkingToken(probe)).claims.aud ?? ''].flat()[0] ?? '';
      return {
        'an audience that begins with the right one': await forgeLike(probe, { aud: `${aud}.unregistered.example` }),
        'an audience that contains the right one': await forgeLike(probe, { aud: `x-${aud}-x` }),
        'the beginning of the right audience': await forgeLike(probe, { aud: aud.slice(0, -1) }),
      };
    },
  }),
];
