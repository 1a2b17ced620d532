import { base64url } from 'jose';
import { failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { publishedKeys } from '@/lib/oauth/controls/published-keys';

export default defineControl({
  id: 'jwks-strength',
  title: 'The published keys are strong and public',
  severity: 'high',
  area: 'transport',
  source: ['RFC 8725 3.5'],
  oauch: 'SigningKeySecureTest',
  switchable: false,
  protectsFrom: 'A weak key is broken, or a key that should be secret is published.',
  probe: publishedKeys,
  rule(keys) {
    if (keys.length === 0) return inconclusive('No key is published.');
    const bits = (n: string | undefined) => (n === undefined ? 0 : base64url.decode(n).length * 8);
    const problems = keys.flatMap((key) => {
      if (key.kty === 'oct' || key.d !== undefined || key.k !== undefined) return ['a secret key is published'];
      return key.kty === 'RSA' && bits(key.n) < 2048 ? [`an RSA key has ${bits(key.n)} bits`] : [];
    });
    return problems.length === 0
      ? passed(`${keys.length} keys, all strong and public.`)
      : failed(`${problems.join('; ')}.`);
  },
});
