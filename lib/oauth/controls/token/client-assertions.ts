import { importJWK, type JWTPayload, SignJWT } from 'jose';
import type { CredentialsSource } from '@/lib/oauth/assessment/client-credentials';
import {
  createAssertionCredentials,
  createWrongCredentials,
  signAssertion,
} from '@/lib/oauth/assessment/client-credentials';
import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { PROFILE_TRIES } from '@/lib/oauth/assessment/profile-tries';
import type { CodeGrant } from '@/lib/oauth/assessment/requests';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe, ignoreUndecided } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl, type Tries } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { CARRIED_KEYS, nameEach, prepareCarriedKeys, signHmac } from '@/lib/oauth/controls/resource/forged-tokens';
import { putTogether, type TokenParts, takeApart } from '@/lib/oauth/controls/token-parts';
import { KeyToVerify } from '@/lib/oauth/token/read-keys';
import { spellPublicKey } from '@/lib/oauth/token/spell-public-key';

const ANOTHER = 'https://another-server.example';

/** Audiences that a server takes for its own if it compares a part of them. */
const LOOK_ALIKE_AUDIENCES = {
  'an audience that begins with the right one': 'RFC 7523 3',
  'an audience that ends with the right one': 'RFC 7523 3',
  'the beginning of the audience': 'RFC 7523 3',
} satisfies Tries;

/** Lists audiences of other servers that look like the right one. */
function listLookAlikeAudiences(audience: string): Record<keyof typeof LOOK_ALIKE_AUDIENCES, string> {
  return {
    'an audience that begins with the right one': `${audience.replace(/\/$/, '')}.unregistered.example`,
    'an audience that ends with the right one': `https://unregistered.example/${audience}`,
    // Some servers take their name with and without a slash at its end.
    'the beginning of the audience': audience.replace(/\/$/, '').slice(0, -1),
  };
}

/** Lists assertions that must not authenticate the client, by their fault (RFC 7523 section 3). */
async function listWrongAssertions(probe: Probe, client: TargetClient): Promise<Record<string, CredentialsSource>> {
  const now = probe.now();
  const signWith = (claims?: JWTPayload) => async () =>
    createAssertionCredentials(client, await sign(probe, client, claims));
  const changeValid =
    (change: (valid: TokenParts) => string | Promise<string>): CredentialsSource =>
    async () =>
      createAssertionCredentials(client, await change(takeApart(await sign(probe, client))));
  return {
    'an assertion with alg none': changeValid(({ claims }) => putTogether({ alg: 'none' }, claims, '')),
    'an assertion without a signature': changeValid(({ header, claims }) => putTogether(header, claims, '')),
    'a wrong signature': () => createWrongCredentials(client, probe.createAssertionOptions()),
    'another audience': signWith({ aud: ANOTHER }),
    ...Object.fromEntries(
      Object.entries(listLookAlikeAudiences(probe.assertionAudience)).map(([label, aud]) => [label, signWith({ aud })]),
    ),
    'a list of other audiences': signWith({ aud: [ANOTHER, 'https://unregistered.example'] }),
    'an assertion without an audience': signWith({ aud: undefined }),
    'another issuer': signWith({ iss: 'another-client' }),
    'another subject': signWith({ sub: 'another-client' }),
    'an expired assertion': signWith({ iat: now - 7200, exp: now - 3600 }),
    'an assertion without exp': signWith({ exp: undefined }),
    'an assertion of tomorrow': signWith({ nbf: now + 86_400, iat: now + 86_400, exp: now + 90_000 }),
    ...Object.fromEntries(
      Object.entries(await listStrangeHeaders(probe, client)).map(([label, change]) => [label, changeValid(change)]),
    ),
  };
}

const CONFUSED = 'HS256 keyed with the public key';
const CRITICAL = 'an assertion with an unknown critical header';

/**
 * Lists ways to change an assertion so that its header misleads the server: it brings a key along, or names another kind
 * of key, or an extension.
 */
async function listStrangeHeaders(
  probe: Probe,
  client: TargetClient,
): Promise<Record<string, (valid: TokenParts) => string | Promise<string>>> {
  const { authentication } = client;
  if (authentication.method !== 'private_key_jwt') return {};
  const alg = String(takeApart(await sign(probe, client)).header.alg);
  const { data: verifying = {} } = KeyToVerify.safeParse(authentication.key);
  // The server may hold the members in the order of the key that was given.
  const publicKey = Object.fromEntries(Object.entries(authentication.key).filter(([name]) => name in verifying));
  const spellings = await spellPublicKey(publicKey);
  // The most common spellings are enough: each is one more request.
  const common = spellings.filter(({ format }, index) => {
    const earlier = spellings.slice(0, index).filter((other) => other.format === format);
    return earlier.length < (format === 'PEM' ? 2 : 1);
  });
  const confused = common.map(({ format, spelling, secret }) => [
    `${CONFUSED} (${format}, ${spelling})`,
    ({ header, claims }: TokenParts) => signHmac(header, claims, secret),
  ]);
  return {
    ...nameEach('an assertion', await prepareCarriedKeys(alg)),
    ...Object.fromEntries(confused),
    [CRITICAL]: async ({ header, claims }) =>
      new SignJWT(claims)
        .setProtectedHeader({ ...header, alg, crit: ['sluice'], sluice: true })
        .sign(await importJWK(authentication.key, alg), { crit: { sluice: true } }),
  };
}

/** Redeems codes with assertions that a profile judges (FAPI 2.0 Security Profile section 5.3.2.1). */
async function tryProfileAssertions(probe: Probe, client: TargetClient): Promise<void> {
  const [now, exp] = [probe.now(), probe.now() + 150];
  const { issuer } = probe.target;
  const tries: [string, JWTPayload][] = [
    [PROFILE_TRIES.audienceOfEndpoint, { aud: await probe.requireEndpoint('token_endpoint') }],
    [PROFILE_TRIES.listOfAudiences, { aud: [issuer, ANOTHER] }],
    [PROFILE_TRIES.fiveSecondsAhead, { iat: now + 5, nbf: now + 5 }],
    [PROFILE_TRIES.issuedAhead, { iat: now + 90, exp }],
    [PROFILE_TRIES.validAhead, { nbf: now + 90, exp }],
  ];
  for (const [label, claims] of tries) {
    const credentials = createAssertionCredentials(client, await sign(probe, client, claims));
    await probe.redeem(label, await probe.requestCode({}, { client }), {}, { credentials });
  }
}

const sign = (probe: Probe, client: TargetClient, claims?: JWTPayload): Promise<string> =>
  signAssertion(client, { ...probe.createAssertionOptions(), claims });

/** Controls for clients that authenticate with a key (RFC 7523 section 3). */
export const CLIENT_ASSERTIONS: readonly Control[] = [
  defineControl({
    id: 'client-assertion',
    title: 'Every part of a client assertion is checked',
    wrong: 'A part of client assertions is not checked',
    severity: 'critical',
    area: 'token',
    source: ['RFC 7523 3', 'OpenID Connect Core 9'],
    oauch:
      'HasNoneAlgorithmTest, IsSignatureCheckedTest, IsAudienceCheckedTest, IsIssuerCheckedTest, IsSubjectCheckedTest, IsExpirationCheckedTest, IsJtiReplayedTest',
    switchable: false,
    needs: ['client with a key', 'login'],
    protectsFrom: 'Anyone acts as a client that authenticates with a key.',
    tries: {
      'an assertion with alg none': 'CVE-2026-28802',
      'an assertion without a signature': 'CVE-2026-28802',
      'a wrong signature': 'RFC 7523 3',
      'another audience': 'RFC 7523 3',
      ...LOOK_ALIKE_AUDIENCES,
      'a list of other audiences': 'RFC 7523 3',
      'an assertion without an audience': 'RFC 7523 3',
      'another issuer': 'RFC 7523 3',
      'another subject': 'RFC 7523 3',
      'an expired assertion': 'RFC 7523 3',
      'an assertion without exp': 'RFC 7523 3',
      'an assertion of tomorrow': 'RFC 7523 3',
      ...nameEach('an assertion', CARRIED_KEYS),
      [CONFUSED]: 'RFC 8725 2.1',
      [CRITICAL]: 'RFC 7515 4.1.11, CVE-2025-59420',
      'an assertion that was used': 'CVE-2020-15222, CVE-2020-5300',
    },
    async probe(probe) {
      const client = probe.listClients().find(({ authentication }) => authentication.method === 'private_key_jwt');
      if (client === undefined) throw new CannotProbe('not_applicable', 'No client with a private key is known.');
      const comparisons = new Map<string, Comparison>();
      let grant = await probe.requestCode({}, { client });
      for (const [label, credentials] of Object.entries(await listWrongAssertions(probe, client))) {
        const outcome = await probe.redeem(`Redeem with ${label}`, grant, {}, { credentials });
        comparisons.set(label, compareTokens(outcome));
        if (outcome.kind === 'issued') grant = await probe.requestCode({}, { client });
      }
      const redeemOnce = async (code: CodeGrant) => {
        const credentials = createAssertionCredentials(client, await sign(probe, client));
        return { credentials, ...(await probe.redeem('Redeem correctly', code, {}, { credentials })) };
      };
      let once = await redeemOnce(grant);
      // The refused request may have ended the code.
      if (once.kind === 'refused') once = await redeemOnce(await probe.requestCode({}, { client }));
      if (once.kind === 'refused') throw new CannotProbe('inconclusive', 'A correct redemption is refused, too.');
      const again = await probe.redeem(
        'Use the assertion again',
        await probe.requestCode({}, { client }),
        {},
        { credentials: once.credentials },
      );
      comparisons.set('an assertion that was used', compareTokens(again));
      // The control is decided by now.
      await tryProfileAssertions(probe, client).catch(ignoreUndecided);
      return comparisons;
    },
    rule: judgeRefusals,
  }),
];
