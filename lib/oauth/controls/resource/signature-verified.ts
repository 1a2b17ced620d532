import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';
import { putTogether, takeApart } from '@/lib/oauth/controls/token-parts';

export default defineControl({
  id: 'signature-verified',
  title: 'The signature of a token is checked',
  severity: 'critical',
  area: 'resource',
  source: ['RFC 8725 3.2'],
  oauch: 'IsSignatureCheckedTest',
  switchable: true,
  protectsFrom: 'Anybody writes their own tokens.',
  async probe(probe) {
    const { header, claims, signature } = takeApart((await probe.workingToken()).accessToken);
    const tampered = putTogether(header, { ...claims, sub: 'somebody-else' }, signature);
    return [
      {
        label: 'a changed payload under the old signature',
        outcome: await probe.presentToken('Use a token with a changed payload', tampered),
      },
    ];
  },
  rule: noTokenAccepted,
});
