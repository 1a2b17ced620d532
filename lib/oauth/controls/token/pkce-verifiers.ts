import { createHash } from 'node:crypto';
import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import { isConfidential } from '@/lib/oauth/assessment/target';
import { CannotProbe, createFailed, createInconclusive, createPassed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { defineRedemptionControl, redeemInOrder } from '@/lib/oauth/controls/patterns';
import { redeemRefusably } from '@/lib/oauth/controls/repeat-fault';

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
      'a wrong verifier of a client with a secret': 'RFC 7636 4.6',
      'no verifier of a client with a secret': 'RFC 7636 4.6',
    },
    async more(probe) {
      const client = probe.listClients().find((known) => known !== probe.target.client && isConfidential(known));
      if (client === undefined) return {};
      const comparisons: Record<string, Comparison> = {};
      const verifiers = { 'a wrong verifier': 'x'.repeat(43), 'no verifier': null };
      for (const [fault, code_verifier] of Object.entries(verifiers)) {
        const label = `${fault} of a client with a secret`;
        const outcome = await redeemRefusably(probe, async () => {
          const grant = await probe.requestCode({}, { client });
          return probe.redeem(`Redeem with ${label}`, grant, { code_verifier });
        });
        comparisons[label] = compareTokens(outcome);
      }
      await redeemInOrder(probe, await probe.requestCode({}, { client }));
      return comparisons;
    },
    attempts: () => ({
      'an empty verifier': { fields: { code_verifier: '' } },
      'a wrong verifier': { fields: { code_verifier: 'x'.repeat(43) } },
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
      await redeemInOrder(probe, await probe.requestCode());
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
    tries: { 'the challenge as the verifier': 'RFC 7636 7.2' },
    attempts: (_, { verifier }) => ({
      'the challenge as the verifier': {
        fields: { code_verifier: createHash('sha256').update(verifier).digest('base64url') },
      },
    }),
  }),
];
