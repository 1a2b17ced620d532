import {
  buildBasicHeader,
  type Credentials,
  type CredentialsSource,
  createAssertionCredentials,
  createWrongCredentials,
  identifyClient,
} from '@/lib/oauth/assessment/client-credentials';
import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { CodeGrant } from '@/lib/oauth/assessment/requests';
import { isCertified, readSecret, type TargetClient } from '@/lib/oauth/assessment/target';
import { ignoreUndecided } from '@/lib/oauth/assessment/verdict';
import { compareConnection } from '@/lib/oauth/controls/mutual-tls';
import { swapLetterCase } from '@/lib/oauth/controls/near-values';
import { redeemCorrectly } from '@/lib/oauth/controls/patterns';
import { redeemRefusably } from '@/lib/oauth/controls/repeat-fault';
import { putTogether } from '@/lib/oauth/controls/token-parts';

const WRONG_SECRET = 'not-the-secret';

/** Lists credentials that must not authenticate a confidential client, by their fault. */
export async function createBadCredentials(
  probe: Probe,
  client: TargetClient,
): Promise<Record<string, CredentialsSource>> {
  const { authentication, id } = client;
  const bad = {
    'no credentials': identifyClient(client),
    'wrong credentials': () => createWrongCredentials(client, probe.createAssertionOptions()),
    ...(authentication.method === 'private_key_jwt' || isCertified(client)
      ? {}
      : { 'an empty secret': { fields: { client_id: id, client_secret: '' }, headers: {} } }),
  };
  const secret = readSecret(client);
  if (secret !== null) Object.assign(bad, createNearSecrets(client, secret), createUncheckedCredentials(probe, client));
  const byBasic = { authorization: buildBasicHeader(id, WRONG_SECRET) };
  if (authentication.method === 'basic') {
    return {
      ...bad,
      'a wrong secret in the body': { fields: { client_id: id, client_secret: WRONG_SECRET }, headers: {} },
      'a wrong secret by Basic beside the client id': { fields: { client_id: id }, headers: byBasic },
    };
  }
  if (authentication.method !== 'post') return bad;
  return { ...bad, 'a wrong secret by Basic': { fields: {}, headers: byBasic } };
}

/** Secrets that careless comparisons accept as the right one, each with the source of that fault. */
const NEAR_SECRETS = {
  'the secret in another letter case': 'RFC 6749 2.3.1',
  'the beginning of the secret': 'CVE-2026-27840',
  'the secret with more at its end': 'RFC 6749 2.3.1',
  'the client id as the secret': 'RFC 6819 5.1.4.2.2',
} as const;

/** Credentials that a server takes without a look at the secret, by their fault. */
const UNCHECKED_CREDENTIALS = {
  'a list as the secret': 'RFC 6749 2.3.1',
  'a query operator as the secret': 'RFC 6749 2.3.1',
  'an unsigned assertion': 'CVE-2026-28802',
} as const;

/** Tries of a control that sends what `createBadCredentials` lists. */
export const BAD_CREDENTIALS = {
  'no credentials': 'RFC 6749 3.2.1',
  'wrong credentials': 'RFC 6749 5.2',
  'an empty secret': 'CVE-2026-44476',
  'a wrong secret in the body': 'RFC 6749 2.3.1',
  'a wrong secret by Basic': 'RFC 6749 2.3.1',
  ...NEAR_SECRETS,
  ...UNCHECKED_CREDENTIALS,
} as const;

/** A fault that gives no access to others: some libraries trim every parameter. */
export const SPACED_SECRET = 'the secret with a space';

/** Creates the credentials of a client with a secret, by its own method. */
const presentSecret = ({ authentication, id }: TargetClient, secret: string): Credentials =>
  authentication.method === 'basic'
    ? { fields: {}, headers: { authorization: buildBasicHeader(id, secret) } }
    : { fields: { client_id: id, client_secret: secret }, headers: {} };

/** Creates the credentials of each near secret. */
function createNearSecrets(client: TargetClient, secret: string): Record<string, Credentials> {
  const secrets: Record<keyof typeof NEAR_SECRETS, string> = {
    'the secret in another letter case': swapLetterCase(secret),
    'the beginning of the secret': secret.slice(0, Math.ceil(secret.length / 2)),
    'the secret with more at its end': `${secret}x`,
    'the client id as the secret': client.id,
  };
  const entries = Object.entries(secrets).filter(([, near]) => near !== secret);
  return Object.fromEntries(entries.map(([label, near]) => [label, presentSecret(client, near)]));
}

/** Creates credentials whose parameters are no text, or whose assertion is unsigned. */
function createUncheckedCredentials(
  probe: Probe,
  client: TargetClient,
): Record<keyof typeof UNCHECKED_CREDENTIALS, CredentialsSource> {
  const fields = { client_id: client.id };
  return {
    'a list as the secret': { fields: { ...fields, 'client_secret[]': WRONG_SECRET }, headers: {} },
    'a query operator as the secret': { fields: { ...fields, 'client_secret[$ne]': WRONG_SECRET }, headers: {} },
    async 'an unsigned assertion'() {
      const { audience: aud, now: iat, jti } = probe.createAssertionOptions();
      const claims = { iss: client.id, sub: client.id, aud, iat, exp: iat + 60, jti };
      return createAssertionCredentials(client, putTogether({ alg: 'none' }, claims, ''));
    },
  };
}

/** Compares redemptions that use bad credentials with a valid one, once for each client. @throws CannotProbe */
export function redeemUnauthenticated(probe: Probe, client: TargetClient): Promise<Map<string, Comparison>> {
  return probe.runOnce(`unauthenticated ${client.id}`, async () => {
    const secret = readSecret(client);
    const spaced: Record<string, Credentials> =
      secret === null ? {} : { [SPACED_SECRET]: presentSecret(client, `${secret} `) };
    return redeemWithEach(probe, client, { ...(await createBadCredentials(probe, client)), ...spaced });
  });
}

/** Compares redemptions with each of these credentials, by their fault, with a valid one. @throws CannotProbe */
export async function redeemWithEach(
  probe: Probe,
  client: TargetClient,
  credentialsByFault: Readonly<Record<string, CredentialsSource>>,
): Promise<Map<string, Comparison>> {
  const comparisons = new Map<string, Comparison>();
  const requestNewCode = () => probe.requestCode({}, { client });
  const bad = Object.entries(credentialsByFault);
  const redeem = (label: string, grant: CodeGrant, credentials?: CredentialsSource) =>
    compareConnection(async () => {
      const send = () => probe.redeem(`Redeem with ${label}`, grant, {}, { credentials });
      return compareTokens(await redeemRefusably(probe, send));
    });
  let grant = await requestNewCode();
  for (const [label, credentials] of bad) {
    const compared = await redeem(label, grant, credentials);
    comparisons.set(label, compared);
    if (compared.kind === 'accepted') grant = await requestNewCode();
  }
  if ((await redeem('its own credentials', grant)).kind === 'accepted') return comparisons;
  // A refused attempt ends the code at this server, so each attempt gets a separate code.
  for (const [label, credentials] of bad)
    comparisons.set(label, await redeem(label, await requestNewCode(), credentials));
  await redeemCorrectly(probe, await requestNewCode());
  return comparisons;
}

/** Returns whether the token endpoint does not authenticate the client. Returns false if that cannot be decided. */
export async function isUnauthenticated(probe: Probe, client: TargetClient): Promise<boolean> {
  const comparisons = await redeemUnauthenticated(probe, client).catch(ignoreUndecided);
  return [...(comparisons ?? [])].some(([label, { kind }]) => kind === 'accepted' && label !== SPACED_SECRET);
}
