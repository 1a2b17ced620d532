import { createHash } from 'node:crypto';
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { type Exchange, findResponseHeader, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { readTokens } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import {
  CannotProbe,
  type ControlVerdict,
  createFailed,
  createInconclusive,
  createNotApplicable,
  createPassed,
  ignoreUndecided,
} from '@/lib/oauth/assessment/verdict';
import { type Control, type ControlDraft, defineControl } from '@/lib/oauth/controls/control';
import { readPublishedKeys } from '@/lib/oauth/controls/published-keys';
import { decodeClaims, takeApart } from '@/lib/oauth/controls/token-parts';
import { KeyToVerify } from '@/lib/oauth/token/read-keys';

/** An ID token with the values issued together with it. */
interface IssuedIdToken {
  token: string;
  header: Record<string, unknown>;
  claims: JWTPayload;
  accessToken: string;
  clientId: string;
  /** Time at the server, in seconds. */
  now: number;
  /** Null if nothing says what it is. */
  issuer: string | null;
  /** The `sub` of the ID token that was issued first. */
  subject: string | undefined;
}

/**
 * Requests an ID token, and lists it with that of a refresh, if there is one (OpenID Connect Core section 12.2).
 * @throws CannotProbe not_applicable if the server issues none
 */
async function requestIdTokens(probe: Probe): Promise<[IssuedIdToken, ...IssuedIdToken[]]> {
  const first = await probe.runOnce('ID token', () => probe.runCodeFlow());
  if (first.idToken === null) throw new CannotProbe('not_applicable', 'The server issues no ID token.');
  const { issuer } = await probe.fetchServerMetadata();
  const { sub: subject } = takeApart(first.idToken).claims;
  const read = (token: string, accessToken: string): IssuedIdToken => ({
    ...{ token, ...takeApart(token), accessToken, clientId: probe.requireClient().id, now: probe.now() },
    issuer: typeof issuer === 'string' ? issuer : probe.target.issuer || null,
    subject,
  });
  const rotation = await probe.getReservedRotation().catch(ignoreUndecided);
  const refreshed = rotation === null ? null : readTokens(rotation.exchange);
  const again = refreshed?.kind === 'issued' ? refreshed.tokens : null;
  return [
    read(first.idToken, first.accessToken),
    ...(again === null || again.idToken === null ? [] : [read(again.idToken, again.accessToken)]),
  ];
}

/** Returns the worst verdict on the ID token of a redemption and that of a refresh, each read without the others. */
function judgeEach<T>([first, ...refreshed]: readonly [T, ...T[]], read: (one: T) => ControlVerdict): ControlVerdict {
  const verdict = read(first);
  const worse = verdict.kind === 'failed' ? undefined : refreshed.map(read).find(({ kind }) => kind === 'failed');
  return worse === undefined ? verdict : createFailed(`After a refresh: ${worse.reason}`);
}

/** Calls the UserInfo endpoint with an access token. @throws CannotProbe */
async function callUserinfo(probe: Probe, url: string, token: string): Promise<Exchange> {
  const isProven = probe.demands.dpop !== null;
  const proof = isProven ? await probe.createProofHeaders('GET', url, token) : {};
  const headers = { authorization: `${isProven ? 'DPoP' : 'Bearer'} ${token}`, ...proof };
  const exchange = await probe.send('Call UserInfo', url, { headers });
  const { status } = exchange.response;
  if (status === 200) return exchange;
  const { aud } = decodeClaims(token);
  if (aud !== undefined && ![aud].flat().some((each) => url.startsWith(each)))
    throw new CannotProbe('not_applicable', 'The server issues this client tokens for another resource alone.');
  throw new CannotProbe('inconclusive', `UserInfo does not accept the access token: status ${status}.`);
}

/** Reads the claims of a UserInfo response, which is JSON or a JWT (OpenID Connect Core 5.3.2). */
function readUserinfo(exchange: Exchange): Readonly<Record<string, unknown>> {
  const isSigned = findResponseHeader(exchange, 'content-type')?.startsWith('application/jwt') === true;
  return isSigned ? takeApart(exchange.response.body.trim()).claims : parseResponseJson(exchange);
}

/** Seconds by which clocks may differ. */
const TOLERANCE = 300;

/** Creates a control that reads ID tokens. */
const defineIdTokenControl = ({
  read,
  ...description
}: ControlDraft & { read: (issued: IssuedIdToken) => ControlVerdict }): Control =>
  defineControl({ ...description, probe: requestIdTokens, rule: (issued) => judgeEach(issued, read) });

/** Controls for ID tokens and for UserInfo (OpenID Connect Core sections 2, 3.1.3 and 5.3). */
export const ID_TOKENS: readonly Control[] = [
  defineIdTokenControl({
    id: 'id-token-claims',
    title: 'An ID token has every required claim, and possible times',
    wrong: 'An ID token lacks a required claim, or has impossible times',
    severity: 'medium',
    area: 'token',
    source: ['OpenID Connect Core 2'],
    oauch: 'HasRequiredClaimsTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'A client accepts an ID token whose origin, audience or age it cannot check.',
    tries: { 'redeem the code': 'OpenID Connect Core 2', 'refresh correctly': 'OpenID Connect Core 12.2' },
    read({ claims, now, subject }) {
      const missing = ['iss', 'sub', 'aud', 'exp', 'iat'].filter((name) => claims[name] === undefined);
      if (missing.length > 0) return createFailed(`Missing: ${missing.join(', ')}.`);
      if (claims.sub !== subject) return createFailed('sub is another than that of the first ID token.');
      const [iat, exp] = [Number(claims.iat), Number(claims.exp)];
      // A whole assessment lies between the token and this time, so only a time in the future can be wrong.
      if (!(iat <= now + TOLERANCE)) return createFailed(`iat is ${String(claims.iat)}, which is no time before now.`);
      return exp > iat
        ? createPassed('iss, sub, aud, exp and iat are there.')
        : createFailed(`exp is ${String(claims.exp)}, which is not after iat.`);
    },
  }),
  defineIdTokenControl({
    id: 'id-token-issuer',
    title: 'An ID token names its issuer',
    wrong: 'An ID token names another issuer',
    severity: 'high',
    area: 'token',
    source: ['OpenID Connect Core 3.1.3.7'],
    oauch: 'HasCorrectIssuerTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'An ID token of one server is taken for that of another.',
    tries: { 'redeem the code': 'OpenID Connect Core 3.1.3.7', 'refresh correctly': 'OpenID Connect Core 12.2' },
    read: ({ claims, issuer }) =>
      issuer === null
        ? createInconclusive('Nothing says what the issuer is.')
        : claims.iss === issuer
          ? createPassed('iss is the issuer of the metadata.')
          : createFailed(`iss is ${String(claims.iss)}, not ${issuer}.`),
  }),
  defineIdTokenControl({
    id: 'id-token-audience',
    title: 'An ID token is for its client',
    wrong: 'An ID token is not for its client alone',
    severity: 'high',
    area: 'token',
    source: ['OpenID Connect Core 2', 'OpenID Connect Core 3.1.3.7'],
    oauch: 'HasCorrectAudienceTest, HasAuthorizedPartyTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'An ID token that one client obtained signs its bearer in at another.',
    tries: { 'redeem the code': 'OpenID Connect Core 2', 'refresh correctly': 'OpenID Connect Core 12.2' },
    read({ claims, clientId }) {
      const audiences = [claims.aud ?? []].flat();
      if (!audiences.includes(clientId)) return createFailed(`aud is ${audiences.join(', ') || 'missing'}.`);
      if (claims.azp !== undefined && claims.azp !== clientId) return createFailed(`azp is ${String(claims.azp)}.`);
      if (audiences.length > 1 && claims.azp === undefined)
        return createFailed('aud names several, and azp is missing.');
      return createPassed('aud is the client.');
    },
  }),
  defineControl({
    id: 'id-token-signature',
    title: 'An ID token is signed with a published key',
    wrong: 'No published key verifies the ID token',
    severity: 'high',
    area: 'token',
    source: ['OpenID Connect Core 2', 'OpenID Connect Core 3.1.3.7'],
    oauch: 'IsIdTokenSignedTest, SigningKeySecureTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'Anyone writes ID tokens.',
    tries: {
      'redeem the code': 'OpenID Connect Core 3.1.3.7',
      'refresh correctly': 'OpenID Connect Core 12.2',
      'read the published keys': 'RFC 7517 5',
    },
    async probe(probe) {
      const [first, ...refreshed] = await requestIdTokens(probe);
      const verify = async ({ token, header }: IssuedIdToken) => {
        if (header.alg === 'none') return { alg: 'none', verified: false };
        if (typeof header.alg === 'string' && header.alg.startsWith('HS')) return { alg: header.alg, verified: null };
        // A key that is published with its secret part verifies all the same: see jwks-strength.
        const published = (await readPublishedKeys(probe)).flatMap((key) => KeyToVerify.safeParse(key).data ?? []);
        const keys = createLocalJWKSet({ keys: published });
        // The age of the token does not matter here.
        const verified = await jwtVerify(token, keys, { clockTolerance: '10 years' }).then(
          () => true,
          () => false,
        );
        return { alg: String(header.alg), verified };
      };
      return [await verify(first), ...(await Promise.all(refreshed.map(verify)))] as const;
    },
    rule: (all) =>
      judgeEach(all, ({ alg, verified }) => {
        if (verified === null) return createNotApplicable(`${alg}: only the client, with its secret, can verify it.`);
        return verified
          ? createPassed(`${alg}, and the published key verifies it.`)
          : createFailed(`${alg}: no published key verifies it.`);
      }),
  }),
  defineIdTokenControl({
    id: 'id-token-at-hash',
    title: 'An ID token is tied to its access token',
    wrong: 'at_hash does not fit the access token',
    severity: 'low',
    area: 'token',
    source: ['OpenID Connect Core 3.1.3.6', 'OpenID Connect Core 3.1.3.8'],
    oauch: 'HasAccessTokenHashTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'An attacker puts the access token of another user next to a genuine ID token.',
    tries: { 'redeem the code': 'OpenID Connect Core 3.1.3.6', 'refresh correctly': 'OpenID Connect Core 12.2' },
    read({ claims, header, accessToken }) {
      if (claims.at_hash === undefined) return createNotApplicable('at_hash is optional beside a code, and absent.');
      const bits = /(256|384|512)$/.exec(String(header.alg))?.[1] ?? '512';
      const hash = createHash(`sha${bits}`).update(accessToken).digest();
      const expected = hash.subarray(0, hash.length / 2).toString('base64url');
      return claims.at_hash === expected
        ? createPassed('at_hash fits the access token.')
        : createFailed('at_hash does not fit the access token.');
    },
  }),
  defineIdTokenControl({
    id: 'id-token-key-references',
    title: 'An ID token brings no key along',
    wrong: 'An ID token brings a key along',
    severity: 'medium',
    area: 'token',
    source: ['OpenID Connect Core 2', 'RFC 8725 3.10'],
    oauch: 'IdTokenKeyReferencesTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'A careless client trusts the key in the header.',
    tries: { 'redeem the code': 'CVE-2018-0114', 'refresh correctly': 'OpenID Connect Core 12.2' },
    read({ header }) {
      const named = ['jwk', 'jku', 'x5c', 'x5u'].filter((name) => name in header);
      return named.length === 0
        ? createPassed('The header names no key but by kid.')
        : createFailed(`The header holds ${named.join(', ')}.`);
    },
  }),
  defineControl({
    id: 'userinfo-subject',
    title: 'UserInfo is about the person of the ID token',
    wrong: 'UserInfo is about another person, or about none',
    severity: 'medium',
    area: 'token',
    source: ['OpenID Connect Core 5.3.2', 'OpenID Connect Core 5.3.4'],
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'A client signs a person in with the claims of another one.',
    tries: { 'call UserInfo': 'OpenID Connect Core 5.3.2' },
    async probe(probe) {
      const { userinfo_endpoint: url } = await probe.fetchServerMetadata();
      if (typeof url !== 'string') throw new CannotProbe('not_applicable', 'The metadata names no UserInfo endpoint.');
      // A token for another resource does not open UserInfo.
      const { idToken, accessToken } = await probe.runCodeFlow({ scope: 'openid', resource: null });
      if (idToken === null) throw new CannotProbe('not_applicable', 'The server issues no ID token.');
      const userinfo = readUserinfo(await callUserinfo(probe, url, accessToken));
      return { expected: takeApart(idToken).claims.sub, received: userinfo.sub };
    },
    rule({ expected, received }) {
      if (expected === undefined) return createInconclusive('The ID token has no sub to compare with.');
      if (received === undefined) return createFailed('UserInfo has no sub.');
      return received === expected
        ? createPassed('sub is the same in both.')
        : createFailed('UserInfo has another sub than the ID token.');
    },
  }),
];
