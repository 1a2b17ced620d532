import { createHash } from 'node:crypto';
import { WITHOUT_PKCE } from '@/lib/oauth/assessment/probe';
import { CannotProbe, required } from '@/lib/oauth/assessment/verdict';
import { controlsIn } from '@/lib/oauth/controls/control';
import { refusesRequests } from '@/lib/oauth/controls/patterns';

/** PKCE at the token endpoint (RFC 7636 section 4.6). */
export const PKCE_VERIFIERS = controlsIn('token', [
  refusesRequests({
    id: 'pkce-verified',
    title: 'The code verifier is checked',
    severity: 'critical',
    source: ['RFC 7636 4.6'],
    oauch: 'IsPkceImplementedTest, IsPkceTokenDowngradeDetectedTest',
    protectsFrom: 'PKCE is required and protects nothing.',
    async requests(probe) {
      const redeem = async (what: string, code_verifier: string | null) =>
        probe.redeem(`Redeem with ${what}`, await probe.code(), { code_verifier });
      return {
        'a wrong verifier': await redeem('a wrong verifier', 'x'.repeat(43)),
        'no verifier': await redeem('no verifier', null),
        'a verifier that is too short': await redeem('a verifier that is too short', 'short'),
      };
    },
  }),
  refusesRequests({
    id: 'pkce-downgrade',
    title: 'A verifier without a challenge is refused',
    severity: 'high',
    source: ['RFC 9700 2.1.1', 'RFC 9700 4.8.2'],
    oauch: 'IsPkceDowngradeDetectedTest',
    protectsFrom: 'An attacker strips PKCE from the request and injects the resulting code.',
    async requests(probe) {
      const outcome = await probe.authorize('Ask without a challenge', WITHOUT_PKCE, { without: ['require-pkce'] });
      if (outcome.kind === 'refused') {
        throw new CannotProbe('not_applicable', 'The server gives no code without a challenge.');
      }
      const code = required(outcome.kind === 'page' ? null : outcome.parameters.code, 'The server gave no code.');
      const given = { code, verifier: probe.randomText() };
      return { 'a verifier for a code without a challenge': await probe.redeem('Redeem with a verifier', given) };
    },
  }),
  refusesRequests({
    id: 'pkce-method-downgrade',
    title: 'An S256 challenge cannot be redeemed as a plain one',
    severity: 'high',
    source: ['RFC 7636 7.2'],
    oauch: 'IsPkcePlainDowngradeDetectedTest',
    protectsFrom: 'Anyone who saw the authorization request can redeem the code.',
    async requests(probe) {
      const given = await probe.code();
      const challenge = createHash('sha256').update(given.verifier).digest('base64url');
      const outcome = await probe.redeem('Send the challenge as the verifier', given, { code_verifier: challenge });
      return { 'the challenge as the verifier': outcome };
    },
  }),
]);
