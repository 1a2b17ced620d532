import { createHash } from 'node:crypto';
import { defineControl } from '@/lib/oauth/controls/control';
import { everyTokenRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'pkce-method-downgrade',
  title: 'An S256 challenge cannot be redeemed as a plain one',
  severity: 'high',
  area: 'token',
  source: ['RFC 7636 7.2'],
  oauch: 'IsPkcePlainDowngradeDetectedTest',
  switchable: false,
  protectsFrom: 'Whoever saw the authorization request can redeem the code.',
  async probe(probe) {
    const given = await probe.code();
    const challenge = createHash('sha256').update(given.verifier).digest('base64url');
    const outcome = await probe.redeem('Send the challenge as the verifier', given, { code_verifier: challenge });
    return [{ label: 'the challenge as the verifier', outcome }];
  },
  rule: everyTokenRefused,
});
