import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { everyTokenRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'pkce-downgrade',
  title: 'A verifier without a challenge is refused',
  severity: 'high',
  area: 'token',
  source: ['RFC 9700 2.1.1', 'RFC 9700 4.8.2'],
  oauch: 'IsPkceDowngradeDetectedTest',
  switchable: true,
  protectsFrom: 'An attacker strips PKCE from the request and injects the code that comes of it.',
  async probe(probe) {
    const fields = { code_challenge: null, code_challenge_method: null };
    const outcome = await probe.authorize('Ask without a challenge', fields, { without: ['require-pkce'] });
    const code = outcome.kind === 'granted' ? outcome.parameters.code : undefined;
    if (outcome.kind === 'refused')
      throw new CannotProbe('not_applicable', 'The server gives no code without a challenge.');
    if (code === undefined) throw new CannotProbe('inconclusive', 'No code was given.');
    const redeemed = await probe.redeem('Redeem with a verifier', { code, verifier: probe.randomText() });
    return [{ label: 'a verifier for a code without a challenge', outcome: redeemed }];
  },
  rule: everyTokenRefused,
});
