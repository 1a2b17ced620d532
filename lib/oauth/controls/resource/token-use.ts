import { compareAccess, describeFault } from '@/lib/oauth/assessment/comparison';
import { findResponseHeader } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createLesserFailure,
  createNotApplicable,
  createPassed,
  ignoreUndecided,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import {
  describeGuessing,
  type GuessingSpace,
  isUnguessable,
  measureGuessing,
} from '@/lib/oauth/controls/guessing-space';
import { explainNoScope } from '@/lib/oauth/controls/has-server-scopes';
import { defineAccessTokenControl } from '@/lib/oauth/controls/refuses-access-tokens';
import { repeatFault } from '@/lib/oauth/controls/repeat-fault';
import { explainOpenResource, TOKEN_REQUIRED } from '@/lib/oauth/controls/resource/token-required';
import { runNarrowFlow } from '@/lib/oauth/controls/run-narrow-flow';
import { decodeClaims, isJwt } from '@/lib/oauth/controls/token-parts';
import { findUserinfo, presentAtUserinfo } from '@/lib/oauth/controls/userinfo';

/** The longest lifetime of a bearer token, in seconds. */
const LONGEST_LIFETIME = 900;

/** What the claims `jti` of signed access tokens are called in a reason. */
const IDS = 'ids of access tokens';
/** Bits of such an id that make it unique (RFC 7519 section 4.1.7). The signature makes the token unguessable. */
const ID_BITS = 64;

const WITHOUT_OPENID = 'a token without openid at UserInfo';

/** Returns whether UserInfo answers a token without the scope `openid`, as it answers a valid one but no invented one. */
async function isTakenWithoutOpenId(probe: Probe): Promise<boolean> {
  const url = await findUserinfo(probe);
  if (url === null || !probe.target.scope.split(' ').includes('openid')) return false;
  const { accessToken } = await probe.requireWorkingToken();
  const ask = async (label: string, token: string) => (await presentAtUserinfo(probe, label, url, token)).accepted;
  if (!(await ask('Use a valid token at UserInfo', accessToken))) return false;
  const narrow = await runNarrowFlow(probe, 'openid', (fields) => probe.runCodeFlow(fields));
  return (
    (await ask(`Use ${WITHOUT_OPENID}`, narrow.accessToken)) &&
    !(await ask('Use an invented token at UserInfo', 'not-a-token'))
  );
}

/** Controls for issuing and presenting access tokens (RFC 6750, RFC 9700 section 2.2). */
export const TOKEN_USE: readonly Control[] = [
  defineAccessTokenControl({
    id: 'scope-enforced',
    title: 'The scope of a token is enforced',
    wrong: 'The scope of a token is not enforced',
    severity: 'high',
    area: 'resource',
    source: ['RFC 6750 3.1'],
    switchable: true,
    needs: ['client', 'login', 'resource', 'resource scope'],
    protectsFrom: 'A client reads or changes what the user never granted it.',
    tries: {
      'a token without the scope': 'RFC 6750 3.1',
      [WITHOUT_OPENID]: 'OpenID Connect Core 5.3.1',
    },
    more: async (probe) => ((await isTakenWithoutOpenId(probe)) ? [WITHOUT_OPENID] : []),
    lesser: { label: WITHOUT_OPENID, severity: 'low' },
    async tokens(probe) {
      const needed = probe.target.resource?.scope ?? null;
      if (needed === null) throw await explainNoScope(probe, 'The scope that the resource needs is not known.');
      await probe.requireWorkingToken();
      const narrow = await runNarrowFlow(probe, needed, (fields) => probe.runCodeFlow(fields));
      return { 'a token without the scope': narrow.accessToken };
    },
  }),
  defineAccessTokenControl({
    id: 'no-token-in-query',
    title: 'A token in the URL is refused',
    wrong: 'A token in the URL is accepted',
    severity: 'medium',
    area: 'resource',
    source: ['RFC 9700 4.3.2', 'RFC 6750 2.3'],
    oauch: 'TokenAsQueryParameterDisabledTest',
    switchable: true,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'Tokens end up in logs, histories and Referer headers.',
    tries: { 'a token in the URL': 'RFC 9700 4.3.2', 'a token in the URL at UserInfo': 'RFC 6750 2.3' },
    inQuery: true,
    elsewhere: ['at UserInfo'],
    async tokens(probe) {
      const { accessToken } = await probe.requireWorkingToken();
      return { 'a token in the URL': accessToken };
    },
    explainOpen: explainOpenResource,
  }),
  TOKEN_REQUIRED,
  defineControl({
    id: 'authorization-header',
    title: 'Access tokens are taken from the Authorization header',
    wrong: 'Access tokens in the Authorization header are refused',
    severity: 'low',
    area: 'resource',
    source: ['RFC 6750 2.1'],
    oauch: 'IsAuthorizationHeaderSupportedTest',
    switchable: false,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'Clients have to put tokens where they leak.',
    tries: { 'use a token': 'RFC 6750 2.1' },
    async probe(probe) {
      const { accessToken } = await probe.runCodeFlow();
      const inHeader = compareAccess(await probe.presentToken('Use a token', accessToken));
      if (
        inHeader.kind === 'accepted' &&
        (await probe.presentToken('Present an invented token', 'not-a-token')).accepted
      )
        throw new CannotProbe('inconclusive', 'The resource opens for any token.');
      if (inHeader.kind !== 'refused') return { inHeader, inQuery: false };
      const inQuery = await probe.presentToken('Use it in the URL', accessToken, { inQuery: true });
      return { inHeader, inQuery: inQuery.accepted };
    },
    rule({ inHeader, inQuery }) {
      if (inHeader.kind === 'accepted') return createPassed('A token in the header was accepted.');
      if (inQuery) return createFailed('A token is accepted in the URL, and refused in the header.');
      return createInconclusive(
        inHeader.kind === 'refused' ? 'The resource refuses a valid token.' : `Undecided: ${inHeader.why}.`,
      );
    },
  }),
  defineControl({
    id: 'resource-no-store',
    title: 'Protected answers are not cached by others',
    wrong: 'Protected answers may be cached by others',
    severity: 'low',
    area: 'resource',
    source: ['RFC 6750 2.3', 'RFC 9111 3.5'],
    oauch: 'HasSupportedCacheControlTest',
    switchable: false,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'What a token opened stays in a cache that others read.',
    tries: { 'use a valid token': 'RFC 9111 3.5' },
    async probe(probe) {
      const { accessToken } = await probe.requireWorkingToken();
      const { exchange } = await probe.presentToken('Use a valid token', accessToken);
      return findResponseHeader(exchange, 'cache-control');
    },
    rule(header) {
      if (header === null)
        return createNotApplicable(
          'There is no Cache-Control: no shared cache stores what Authorization opened (RFC 9111 section 3.5).',
        );
      return /\b(no-store|private|no-cache)\b/i.test(header) || !/\b(public|s-maxage|must-revalidate)\b/i.test(header)
        ? createPassed(`Cache-Control is ${header}.`)
        : createFailed(`Cache-Control is ${header}.`);
    },
  }),
  defineControl({
    id: 'short-token-lifetime',
    title: 'Bearer tokens live for at most 15 minutes',
    wrong: 'Bearer tokens live for more than 15 minutes',
    severity: 'medium',
    area: 'resource',
    source: ['RFC 6750 5.3', 'RFC 6819 5.1.5.3'],
    oauch: 'ShortTokenTimeoutTest, TokenTimeoutTest',
    switchable: true,
    needs: ['client', 'login'],
    protectsFrom: 'An attacker can use a leaked token for hours or longer.',
    tries: { 'redeem the code': 'RFC 6750 5.3' },
    async probe(probe) {
      const { accessToken, expiresIn } = await probe.runCodeFlow();
      const { exp, iat } = decodeClaims(accessToken);
      return { expiresIn, signed: exp !== undefined && iat !== undefined ? exp - iat : null };
    },
    rule({ expiresIn, signed }) {
      if (expiresIn === null && signed === null) return createInconclusive('The server states no token lifetime.');
      const longest = Math.max(expiresIn ?? 0, signed ?? 0);
      const reason = `A token lives for ${longest} s; the limit of this catalogue is ${LONGEST_LIFETIME} s`;
      if (longest <= LONGEST_LIFETIME) return createPassed(`${reason}.`);
      return longest > 3600
        ? createFailed(`${reason}.`)
        : createLesserFailure('low', `${reason}, that of RFC 6750 section 5.3 an hour.`);
    },
  }),
  defineControl({
    id: 'token-entropy',
    title: 'Tokens cannot be guessed',
    wrong: 'Tokens can be guessed',
    severity: 'high',
    area: 'resource',
    source: ['RFC 6749 10.10'],
    oauch: 'AccessTokenEntropyMinReqTest, RefreshTokenEntropyMinReqTest',
    switchable: false,
    needs: ['client', 'login'],
    cost: 'waits',
    protectsFrom: 'An attacker guesses the token of another user.',
    tries: { 'redeem the code': 'RFC 6749 10.10' },
    evidence: 'answer',
    async probe(probe) {
      const needed = probe.target.capabilities.visit === undefined ? 64 : 8;
      for (let seen = probe.listCollectedValues('access token').length; seen < needed; seen++)
        await probe.runCodeFlow();
      const access = probe.listCollectedValues('access token');
      const opaque = access.filter((token) => !isJwt(token));
      const ids = access.flatMap((token) => decodeClaims(token).jti ?? []);
      return {
        opaque,
        ids,
        now: probe.now(),
        refresh: probe.listCollectedValues('refresh token').filter((token) => !isJwt(token)),
      };
    },
    rule({ opaque, ids, refresh, now }) {
      const kinds = { 'access tokens': opaque, [IDS]: ids, 'refresh tokens': refresh };
      const spaces = Object.entries(kinds).flatMap(([kind, values]): [string, GuessingSpace][] =>
        values.length < 4 ? [] : [[kind, measureGuessing(values, now)]],
      );
      const isWeak = (kind: string, space: GuessingSpace) => !isUnguessable(space, kind === IDS ? ID_BITS : undefined);
      const weak = spaces.filter(([kind, space]) => isWeak(kind, space));
      if (spaces.length === 0)
        return createNotApplicable('Every token is signed and holds no id: there is nothing to guess.');
      const worst = weak.length > 0 ? weak : spaces;
      const seen = worst.map(([kind, space]) => `${kind}: ${describeGuessing(space)}`).join('; ');
      return weak.length > 0 ? createFailed(`${seen}.`) : createPassed(`${seen}.`);
    },
  }),
  defineControl({
    id: 'www-authenticate',
    title: 'A refusal names the error',
    wrong: 'A refusal does not name the error',
    severity: 'low',
    area: 'resource',
    source: ['RFC 6750 3'],
    switchable: false,
    needs: ['resource'],
    protectsFrom: 'Clients cannot distinguish a bad token from a broken server.',
    tries: { 'present a malformed token': 'RFC 6750 3' },
    async probe(probe) {
      const present = () => probe.presentToken('Present a malformed token', 'not-a-token');
      const first = await present();
      // A fault is the answer to the token if it comes again after a valid one was served.
      const isServed =
        describeFault(first) !== null && (await probe.requireWorkingToken().catch(ignoreUndecided)) !== null;
      const { status, exchange } = isServed ? await repeatFault(first, present) : first;
      const wall = exchange.failsAgain === true ? null : await probe.explainResourceWall(exchange);
      return { status, wall, challenge: findResponseHeader(exchange, 'www-authenticate') ?? '' };
    },
    rule({ status, wall, challenge }) {
      if (wall !== null) return createInconclusive(`Undecided: ${wall}.`);
      if (status !== 401) return createFailed(`The status was ${status}, not 401.`);
      return /^(bearer|dpop)\b.*\berror=/i.test(challenge)
        ? createPassed('WWW-Authenticate names the error.')
        : createFailed('WWW-Authenticate does not name the error.');
    },
  }),
];
