import { defineControl } from '@/lib/oauth/controls/control';
import { everyTokenRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'pkce-verified',
  title: 'The code verifier is checked',
  severity: 'critical',
  area: 'token',
  source: ['RFC 7636 4.6'],
  oauch: 'IsPkceImplementedTest, IsPkceTokenDowngradeDetectedTest',
  switchable: true,
  protectsFrom: 'PKCE is asked for and protects nothing.',
  async probe(probe) {
    const attempts = [];
    const verifiers = {
      'a wrong verifier': 'x'.repeat(43),
      'no verifier': null,
      'a verifier that is too short': 'short',
    };
    for (const [label, code_verifier] of Object.entries(verifiers)) {
      const given = await probe.code();
      attempts.push({ label, outcome: await probe.redeem(`Redeem with ${label}`, given, { code_verifier }) });
    }
    return attempts;
  },
  rule: everyTokenRefused,
});
