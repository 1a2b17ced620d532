import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';
import { forgeLike, takeApart } from '@/lib/oauth/controls/token-parts';

export default defineControl({
  id: 'not-before',
  title: 'Tokens that are not valid yet are refused',
  severity: 'medium',
  area: 'resource',
  source: ['RFC 7519 4.1.5'],
  oauch: 'IsNotBeforeCheckedTest',
  switchable: true,
  protectsFrom: 'A token that was issued for later is used at once.',
  async probe(probe) {
    const now = Number(takeApart((await probe.workingToken()).accessToken).claims.iat);
    const token = await forgeLike(probe, { nbf: now + 3600 });
    return [
      {
        label: 'a token that becomes valid in an hour',
        outcome: await probe.presentToken('Use a token of the future', token),
      },
    ];
  },
  rule: noTokenAccepted,
});
