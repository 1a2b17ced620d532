import type { JWTPayload } from 'jose';
import type { Credentials } from '@/lib/oauth/assessment/client-credentials';
import { asAssertion, signAssertion, wrongCredentialsOf } from '@/lib/oauth/assessment/client-credentials';
import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { everyRefused, redeemInOrder } from '@/lib/oauth/controls/patterns';

/** Assertions by which nobody may be taken for the client, by what is wrong with them (RFC 7523 section 3). */
async function wrongAssertions(probe: Probe, client: TargetClient): Promise<Record<string, Credentials>> {
  const now = probe.now();
  const signed = async (claims?: JWTPayload) => asAssertion(client, await sign(probe, client, claims));
  const [header, payload] = (await sign(probe, client)).split('.');
  const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
  return {
    'an assertion with alg none': asAssertion(client, `${none}.${payload}.`),
    'an assertion without a signature': asAssertion(client, `${header}.${payload}.`),
    'a wrong signature': await wrongCredentialsOf(client, assertionOf(probe)),
    'another audience': await signed({ aud: 'https://another-server.example' }),
    'another issuer': await signed({ iss: 'another-client' }),
    'another subject': await signed({ sub: 'another-client' }),
    'an expired assertion': await signed({ iat: now - 7200, exp: now - 3600 }),
    'an assertion without exp': await signed({ exp: undefined }),
    'an assertion of tomorrow': await signed({ nbf: now + 86_400, iat: now + 86_400, exp: now + 90_000 }),
  };
}

const assertionOf = (probe: Probe) => ({
  audience: probe.assertionAudience,
  now: probe.now(),
  jti: probe.randomText(16),
});

const sign = (probe: Probe, client: TargetClient, claims?: JWTPayload): Promise<string> =>
  signAssertion(client, { ...assertionOf(probe), claims });

/** Clients that authenticate with a key (RFC 7523 section 3). */
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
    async probe(probe) {
      const client = probe.clients().find(({ authentication }) => authentication.method === 'private_key_jwt');
      if (client === undefined) throw new CannotProbe('not_applicable', 'No client with a private key is known.');
      const comparisons = new Map<string, Comparison>();
      let grant = await probe.code({}, { client });
      for (const [label, credentials] of Object.entries(await wrongAssertions(probe, client))) {
        const outcome = await probe.redeem(`Redeem with ${label}`, grant, {}, { credentials });
        comparisons.set(label, compareTokens(outcome));
        if (outcome.kind === 'issued') grant = await probe.code({}, { client });
      }
      const once = asAssertion(client, await sign(probe, client));
      if ((await probe.redeem('Redeem in order', grant, {}, { credentials: once })).kind === 'refused') {
        await redeemInOrder(probe, await probe.code({}, { client }));
      }
      const again = await probe.redeem(
        'Use the assertion again',
        await probe.code({}, { client }),
        {},
        { credentials: once },
      );
      comparisons.set('an assertion that was used', compareTokens(again));
      return comparisons;
    },
    rule: everyRefused,
  }),
];
