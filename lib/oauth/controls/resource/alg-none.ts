import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';
import { putTogether, takeApart } from '@/lib/oauth/controls/token-parts';

export default defineControl({
  id: 'alg-none',
  title: 'Tokens without a signature are refused',
  severity: 'critical',
  area: 'resource',
  source: ['RFC 8725 3.1'],
  oauch: 'AcceptsNoneSignatureTest',
  switchable: true,
  protectsFrom: 'Anybody writes their own tokens, by saying that they are not signed.',
  async probe(probe) {
    const { header, claims } = takeApart((await probe.workingToken()).accessToken);
    const attempts = [];
    for (const alg of ['none', 'None', 'NONE', 'nOnE']) {
      const token = putTogether({ ...header, alg }, claims, '');
      attempts.push({ label: `alg ${alg}`, outcome: await probe.presentToken(`Use a token with alg ${alg}`, token) });
    }
    return attempts;
  },
  rule: noTokenAccepted,
});
