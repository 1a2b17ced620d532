import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';
import { forgeLike, takeApart } from '@/lib/oauth/controls/token-parts';

export default defineControl({
  id: 'token-expiry',
  title: 'Expired tokens are refused',
  severity: 'high',
  area: 'resource',
  source: ['RFC 9068 4'],
  oauch: 'IsExpirationCheckedTest',
  switchable: true,
  protectsFrom: 'A token that leaked works for ever.',
  async probe(probe) {
    const working = await probe.workingToken();
    const past = Math.floor(Number(takeApart(working.accessToken).claims.iat) - 3600);
    const forgeable = probe.target.capabilities.forge !== undefined;
    if (!forgeable) probe.advance((working.expiresIn ?? 86_400) + 300);
    const token = forgeable ? await forgeLike(probe, { iat: past, exp: past + 600 }) : working.accessToken;
    return [{ label: 'an expired token', outcome: await probe.presentToken('Use an expired token', token) }];
  },
  rule: noTokenAccepted,
});
