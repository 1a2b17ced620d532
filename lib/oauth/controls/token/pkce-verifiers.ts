import { createHash } from 'node:crypto';
import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe, createFailed, createInconclusive, createPassed } from '@/lib/oauth/assessment/verdict';
import { findOtherConfidentialClient } from '@/lib/oauth/controls/attempt-as-others';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { swapLetterCase } from '@/lib/oauth/controls/near-values';
import { defineRedemptionControl, redeemCorrectly } from '@/lib/oauth/controls/patterns';
import { redeemRefusably } from '@/lib/oauth/controls/repeat-fault';

const WRONG_VERIFIER = 'x'.repeat(43);
const hashVerifier = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

/** Challenges that are nearly those of the verifier. A server that compares a part of them, or no case, takes both. */
const NEAR_CHALLENGES: Readonly<Record<string, (challenge: string) => string>> = {
  'a challenge in another letter case': swapLetterCase,
  'a challenge with another end': (challenge) => `${challenge.slice(0, 28)}${'A'.repeat(challenge.length - 28)}`,
};

/** Redeems codes of requests whose challenge is nearly the right one. Those that give no code are left out. */
async function redeemNearChallenges(probe: Probe): Promise<Record<string, Comparison>> {
  const comparisons: Record<string, Comparison> = {};
  for (const [label, spell] of Object.entries(NEAR_CHALLENGES)) {
    const verifier = probe.generateRandomText();
    const fields = { code_challenge: spell(hashVerifier(verifier)) };
    const parameters = probe.buildAuthorizationParameters(fields);
    const outcome = await probe.authorizeWith(`Ask with ${label}`, parameters, verifier);
    const code = outcome.kind === 'granted' ? outcome.parameters.code : undefined;
    if (code === undefined) continue;
    const send = () => probe.redeem(`Redeem with ${label}`, { code, verifier, client: probe.requireClient() });
    comparisons[label] = compareTokens(await redeemRefusably(probe, send));
  }
  return comparisons;
}

/** Controls for PKCE at the token endpoint (RFC 7636 section 4.6). */
export const PKCE_VERIFIERS: readonly Control[] = [
  defineRedemptionControl({
    id: 'pkce-verified',
    title: 'The code verifier is checked',
    wrong: 'The code verifier is not checked',
    severity: 'critical',
    area: 'token',
    source: ['RFC 7636 4.6'],
    oauch: 'IsPkceImplementedTest, IsPkceTokenDowngradeDetectedTest, ShortVerifierTest',
    switchable: true,
    needs: ['client', 'login'],
    protectsFrom: 'Anyone who obtains a code redeems it with any verifier: PKCE is required and protects nothing.',
    tries: {
      'a wrong verifier': 'RFC 7636 4.6',
      'no verifier': 'CVE-2025-4144',
      'an empty verifier': 'CVE-2025-4144',
      'a verifier that is too short': 'RFC 7636 4.1',
      'the verifier with more at its end': 'RFC 7636 4.6',
      'a wrong verifier with its own challenge': 'RFC 7636 4.6',
      'a challenge in another letter case': 'RFC 7636 4.6',
      'a challenge with another end': 'RFC 7636 4.6',
      'a wrong verifier of a client with a secret': 'RFC 7636 4.6',
      'no verifier of a client with a secret': 'RFC 7636 4.6',
    },
    async more(probe) {
      const client = findOtherConfidentialClient(probe);
      const comparisons = await redeemNearChallenges(probe);
      if (client === undefined) return comparisons;
      const verifiers = { 'a wrong verifier': WRONG_VERIFIER, 'no verifier': null };
      for (const [fault, code_verifier] of Object.entries(verifiers)) {
        const label = `${fault} of a client with a secret`;
        const outcome = await redeemRefusably(probe, async () => {
          const grant = await probe.requestCode({}, { client });
          return probe.redeem(`Redeem with ${label}`, grant, { code_verifier });
        });
        comparisons[label] = compareTokens(outcome);
      }
      await redeemCorrectly(probe, await probe.requestCode({}, { client }));
      return comparisons;
    },
    attempts: (_, { verifier }) => ({
      'the verifier with more at its end': { fields: { code_verifier: `${verifier}0` } },
      'an empty verifier': { fields: { code_verifier: '' } },
      'a wrong verifier': { fields: { code_verifier: WRONG_VERIFIER } },
      'a wrong verifier with its own challenge': {
        fields: {
          code_verifier: WRONG_VERIFIER,
          code_challenge: hashVerifier(WRONG_VERIFIER),
          code_challenge_method: 'S256',
        },
      },
      'no verifier': { fields: { code_verifier: null } },
      'a verifier that is too short': { fields: { code_verifier: 'short' } },
    }),
  }),
  defineControl({
    id: 'pkce-downgrade',
    title: 'A verifier without a challenge is refused',
    wrong: 'A verifier without a challenge is accepted',
    severity: 'high',
    area: 'token',
    source: ['RFC 9700 2.1.1', 'RFC 9700 4.8.2'],
    oauch: 'IsPkceDowngradeDetectedTest',
    switchable: true,
    needs: ['client', 'login'],
    protectsFrom: 'An attacker strips PKCE from the request and injects the resulting code.',
    tries: { 'redeem with a verifier': 'CVE-2025-4144, CVE-2024-22258' },
    async probe(probe) {
      await redeemCorrectly(probe, await probe.requestCode());
      const fields = { code_challenge: null, code_challenge_method: null };
      const outcome = await probe.authorize('Ask without a challenge', fields, { without: ['require-pkce'] });
      if (outcome.kind === 'error')
        throw new CannotProbe('not_applicable', 'The server gives no code without a challenge.');
      const code = outcome.kind === 'granted' ? outcome.parameters.code : undefined;
      if (code === undefined) throw new CannotProbe('not_applicable', 'The server gives no code without a challenge.');
      const grant = { code, verifier: probe.generateRandomText(), lifetime: null, client: probe.requireClient() };
      return compareTokens(await redeemRefusably(probe, () => probe.redeem('Redeem with a verifier', grant)));
    },
    rule(compared) {
      if (compared.kind === 'accepted')
        return createFailed('The server accepted: a verifier for a code without a challenge.');
      return compared.kind === 'refused'
        ? createPassed('The server refused: a verifier for a code without a challenge.')
        : createInconclusive(`Undecided: ${compared.why}.`);
    },
  }),
  defineRedemptionControl({
    id: 'pkce-method-downgrade',
    title: 'An S256 challenge cannot be redeemed as a plain one',
    wrong: 'An S256 challenge can be redeemed as a plain one',
    severity: 'high',
    area: 'token',
    source: ['RFC 7636 7.2'],
    oauch: 'IsPkcePlainDowngradeDetectedTest',
    switchable: false,
    needs: ['client', 'login'],
    protectsFrom: 'Anyone who saw the authorization request can redeem the code.',
    tries: {
      'the challenge as the verifier': 'RFC 7636 7.2',
      'the challenge as the verifier, with the method plain': 'RFC 7636 7.2',
    },
    attempts: (_, { verifier }) => ({
      'the challenge as the verifier': { fields: { code_verifier: hashVerifier(verifier) } },
      'the challenge as the verifier, with the method plain': {
        fields: { code_verifier: hashVerifier(verifier), code_challenge_method: 'plain' },
      },
    }),
  }),
];
