import { failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'refresh-rotation',
  title: 'A refresh token of a public client works once',
  severity: 'high',
  area: 'token',
  source: ['RFC 9700 4.14.2'],
  oauch: 'UsesTokenRotationTest, RefreshTokenRevokedAfterUseTest',
  switchable: true,
  protectsFrom: 'A stolen refresh token works for as long as the rightful one.',
  async probe(probe) {
    const { refreshToken } = await probe.flowWithRefresh();
    return {
      first: await probe.refresh('Refresh', refreshToken),
      second: await probe.refresh('Refresh again with the same token', refreshToken),
    };
  },
  rule({ first, second }) {
    if (first.kind !== 'issued') return inconclusive('The refresh token did not work at all.');
    return second.kind === 'issued' ? failed('The refresh token worked twice.') : passed('The second use was refused.');
  },
});
