import { failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { takeApart } from '@/lib/oauth/controls/token-parts';

export default defineControl({
  id: 'short-token-lifetime',
  title: 'Bearer tokens live for 15 minutes at most',
  severity: 'medium',
  area: 'resource',
  source: ['RFC 9700 2.2', 'RFC 6749 10.3'],
  oauch: 'ShortTokenTimeoutTest, TokenTimeoutTest',
  switchable: true,
  protectsFrom: 'A token that leaked works for long.',
  async probe(probe) {
    const { accessToken, expiresIn } = await probe.flow();
    const parts = accessToken.split('.').length === 3 ? takeApart(accessToken).claims : {};
    const signed = parts.exp !== undefined && parts.iat !== undefined ? parts.exp - parts.iat : null;
    return { expiresIn, signed };
  },
  rule({ expiresIn, signed }) {
    const longest = Math.max(expiresIn ?? 0, signed ?? 0);
    if (expiresIn === null && signed === null) return inconclusive('The server does not say how long a token lives.');
    return longest > 900
      ? failed(`A token lives for ${longest} seconds.`)
      : passed(`A token lives for ${longest} seconds.`);
  },
});
