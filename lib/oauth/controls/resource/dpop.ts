import { type Comparison, compareAccess, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe, createInconclusive } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { createBroaderControlError } from '@/lib/oauth/controls/patterns';
import { DpopClient, listProofPlaces, type ProofChanges } from '@/lib/oauth/controls/resource/dpop-client';

const REPLAY = 'a proof that was used';

const CRITICAL = { critical: { sluice: true } };

/** Lists a proof with an invented nonce, if the token endpoint wants one (RFC 9449 section 8). */
async function listNonceFaults(probe: Probe, client: DpopClient): Promise<Record<string, ProofChanges>> {
  await client.requestBoundTokens();
  return client.hasNonce ? { 'with an invented nonce': { claims: { nonce: probe.generateRandomText() } } } : {};
}

/** Lists proofs for other addresses than the right one. Query, fragment and an empty path do not count (RFC 9449 4.3). */
function listAddressFaults(right: string): Record<string, ProofChanges> {
  const { origin, pathname } = new URL(right);
  return {
    'for another address': { url: 'https://unregistered.example/' },
    'for a longer address': { url: `${origin}${pathname}-of-another` },
    ...(pathname === '/' ? {} : { 'for the beginning of the address': { url: origin } }),
  };
}

/** Redeems codes with proofs that are wrong in one part, and then with a valid one. @throws CannotProbe */
async function redeemWithWrongProofs(probe: Probe, client: DpopClient): Promise<Map<string, Comparison>> {
  const endpoint = await probe.requireEndpoint('token_endpoint', probe.requireClient());
  const variants: Record<string, ProofChanges> = {
    'for another method': { method: 'GET' },
    ...listAddressFaults(endpoint),
    'of yesterday': { claims: { iat: probe.now() - 86_400 } },
    'of tomorrow': { claims: { iat: probe.now() + 86_400 } },
    'of another type': { header: { typ: 'JWT' } },
    'without jti': { claims: { jti: undefined } },
    'with an unknown critical header': { header: CRITICAL },
    'with its private key': { header: { hasPrivateKey: true } },
    ...(await listNonceFaults(probe, client)),
    'with a changed signature': { isForged: true },
    'with alg none': { isUnsigned: true },
  };
  const comparisons = new Map<string, Comparison>();
  for (const [fault, changes] of Object.entries(variants)) {
    const label = `a proof ${fault} at the token endpoint`;
    comparisons.set(
      label,
      compareTokens(await client.redeem(`Redeem with ${label}`, await probe.requestCode(), changes)),
    );
  }
  await client.requestBoundTokens();
  return comparisons;
}

/** Controls for proof of possession (RFC 9449). */
export const DPOP: readonly Control[] = [
  defineControl({
    id: 'sender-constrained',
    title: 'A key-bound token needs proof of possession',
    wrong: 'A key-bound token works without proof of possession',
    severity: 'info',
    area: 'resource',
    source: ['RFC 9449 7', 'RFC 9700 2.2.1'],
    oauch: 'IsDPoPTokenRequiredTest',
    switchable: true,
    needs: ['client', 'login', 'resource'],
    protectsFrom: 'A stolen token works without the key that it is bound to.',
    tries: {
      'a bound token as a bearer token': 'RFC 9449 7.2',
      'a bound token without a proof': 'RFC 9449 7.1',
      'a bound token as a bearer token at UserInfo': 'RFC 9449 7.2',
      'a bound token without a proof at UserInfo': 'RFC 9449 7.1',
    },
    async probe(probe) {
      const client = await DpopClient.create(probe);
      const { token, places } = await client.requireWorkingToken();
      const comparisons = new Map<string, Comparison>();
      for (const { at, present } of places) {
        const bare = await present(`Present it as a bearer token${at}`, token);
        const proofless = await present(`Present it without a proof${at}`, token, { authorization: `DPoP ${token}` });
        comparisons.set(`a bound token as a bearer token${at}`, compareAccess(bare));
        comparisons.set(`a bound token without a proof${at}`, compareAccess(proofless));
      }
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'dpop-proof',
    title: 'Every part of a proof is checked',
    wrong: 'A part of DPoP proofs is not checked',
    severity: 'high',
    area: 'resource',
    source: ['RFC 9449 4.3'],
    switchable: false,
    needs: ['client', 'login', 'resource'],
    evidence: 'token',
    protectsFrom: 'A proof that was seen once, or was made for something else, makes a stolen token work.',
    tries: {
      'for another method at the token endpoint': 'RFC 9449 4.3',
      'for another address at the token endpoint': 'RFC 9449 4.3',
      'for a longer address at the token endpoint': 'RFC 9449 4.3',
      'for the beginning of the address at the token endpoint': 'RFC 9449 4.3',
      'with an unknown critical header at the token endpoint': 'RFC 7515 4.1.11, CVE-2025-59420',
      'with its private key at the token endpoint': 'RFC 9449 4.3',
      'with an invented nonce at the token endpoint': 'RFC 9449 8',
      'of yesterday at the token endpoint': 'RFC 9449 11.1',
      'of tomorrow at the token endpoint': 'RFC 9449 4.3',
      'of another type at the token endpoint': 'RFC 9449 4.3',
      'without jti at the token endpoint': 'RFC 9449 4.2',
      'with a changed signature at the token endpoint': 'RFC 9449 4.3',
      'with alg none at the token endpoint': 'RFC 9449 4.3',
      'a proof for another method': 'RFC 9449 4.3',
      'a proof for another address': 'RFC 9449 4.3',
      'a proof for a longer address': 'RFC 9449 4.3',
      'a proof for the beginning of the address': 'RFC 9449 4.3',
      'a proof with an unknown critical header': 'RFC 7515 4.1.11, CVE-2025-59420',
      'a proof with its private key': 'RFC 9449 4.3',
      'a proof without ath': 'RFC 9449 4.3',
      'a proof for another token': 'RFC 9449 4.3',
      'a proof of yesterday': 'RFC 9449 11.1',
      'a proof of tomorrow': 'RFC 9449 4.3',
      'a proof of another type': 'RFC 9449 4.3',
      'a proof with a changed signature': 'RFC 9449 4.3',
      'a proof with alg none': 'RFC 9449 4.3',
      'a proof of another key': 'RFC 9449 7.1',
      'a proof that was used': 'RFC 9449 11.1',
    },
    async probe(probe) {
      const client = await DpopClient.create(probe);
      const comparisons = await redeemWithWrongProofs(probe, client);
      const isDecided = [...comparisons.values()].some(({ kind }) => kind === 'accepted');
      const hasResource = (await listProofPlaces(probe)).length > 0;
      if (hasResource && !isDecided) {
        const { token, places } = await client.requireWorkingToken();
        const [place] = places;
        const { url, method } = place;
        if ((await place.present('Present it without a proof', token)).accepted)
          throw createBroaderControlError('sender-constrained');
        const replayed = await client.buildProof(url, method, token);
        await client.present(place, 'Use a proof', token, { proof: replayed });
        const variants: Record<string, ProofChanges & { proof?: string }> = {
          // Finished proofs come first, before they are too old.
          [REPLAY]: { proof: replayed },
          'a proof of another key': {
            proof: await (await DpopClient.create(probe)).buildProof(url, method, token),
          },
          'a proof for another method': { method: method === 'GET' ? 'POST' : 'GET' },
          ...Object.fromEntries(Object.entries(listAddressFaults(url)).map(([fault, to]) => [`a proof ${fault}`, to])),
          'a proof with an unknown critical header': { header: CRITICAL },
          'a proof with its private key': { header: { hasPrivateKey: true } },
          'a proof without ath': { claims: { ath: undefined } },
          'a proof for another token': { claims: { ath: 'x'.repeat(43) } },
          'a proof of yesterday': { claims: { iat: probe.now() - 86_400 } },
          'a proof of tomorrow': { claims: { iat: probe.now() + 86_400 } },
          'a proof of another type': { header: { typ: 'JWT' } },
          'a proof with a changed signature': { isForged: true },
          'a proof with alg none': { isUnsigned: true },
        };
        for (const [label, changes] of Object.entries(variants)) {
          comparisons.set(label, compareAccess(await client.present(place, `Present ${label}`, token, changes)));
        }
        if (!(await client.present(place, 'Use a valid proof', token)).accepted) {
          throw new CannotProbe('inconclusive', 'The resource does not accept a valid proof either.');
        }
      }
      return { comparisons, hasResource };
    },
    rule({ comparisons, hasResource }) {
      const verdict = judgeRefusals(comparisons, {
        label: REPLAY,
        severity: 'low',
        describe: (reason) => `${reason} A server may bound the time of a replay instead (RFC 9449 section 11.1).`,
      });
      return verdict.kind === 'passed' && !hasResource
        ? createInconclusive(
            `${verdict.reason} Whether ath, the key and the method count at a resource, only a resource shows.`,
          )
        : verdict;
    },
  }),
  defineControl({
    id: 'dpop-code-binding',
    title: 'A code can be bound to a key',
    wrong: 'A code that is bound to a key works with another',
    severity: 'high',
    area: 'resource',
    source: ['RFC 9449 10'],
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'A stolen code is redeemed with the key of the thief.',
    tries: { 'another key': 'RFC 9449 10', 'no proof': 'RFC 9449 10' },
    async probe(probe) {
      const [client, thief] = [await DpopClient.create(probe), await DpopClient.create(probe)];
      const fields = { dpop_jkt: client.thumbprint };
      await client.requestBoundTokens(await probe.requestCode(fields));
      const comparisons = new Map<string, Comparison>();
      comparisons.set(
        'another key',
        compareTokens(await thief.redeem('Redeem with another key', await probe.requestCode(fields))),
      );
      comparisons.set(
        'no proof',
        compareTokens(
          await probe.redeem('Redeem without a proof', await probe.requestCode(fields), {}, { withoutProof: true }),
        ),
      );
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'dpop-refresh-binding',
    title: 'A refresh token of a public client is bound to its key',
    wrong: 'A refresh token that is bound to a key works with another',
    severity: 'high',
    area: 'resource',
    source: ['RFC 9449 5'],
    switchable: false,
    needs: ['client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'A stolen refresh token works with any key, or with none.',
    tries: { 'another key': 'RFC 9449 5', 'no proof': 'RFC 9449 5' },
    async probe(probe) {
      if (probe.requireClient().authentication.method !== 'none') {
        throw new CannotProbe(
          'not_applicable',
          'Refresh tokens of a confidential client are bound to its credentials.',
        );
      }
      const [client, thief] = [await DpopClient.create(probe), await DpopClient.create(probe)];
      const requestTokens = async () => client.requestBoundTokens(await probe.requestRefreshableCode());
      const { refreshToken } = await requestTokens();
      if (refreshToken === null)
        throw new CannotProbe('not_applicable', 'The server gives this client no refresh token.');
      const comparisons = new Map<string, Comparison>();
      comparisons.set('another key', compareTokens(await thief.refresh('Refresh with another key', refreshToken)));
      comparisons.set(
        'no proof',
        compareTokens(await probe.refresh('Refresh without a proof', refreshToken, {}, { withoutProof: true })),
      );
      const own = await requestTokens();
      if (
        own.refreshToken === null ||
        (await client.refresh('Refresh correctly', own.refreshToken)).kind === 'refused'
      ) {
        throw new CannotProbe('inconclusive', 'A refresh with the right key is refused as well.');
      }
      return comparisons;
    },
    rule: judgeRefusals,
  }),
];
