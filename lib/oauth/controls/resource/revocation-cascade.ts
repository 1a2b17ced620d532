import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'revocation-cascade',
  title: 'Revoking a refresh token ends its access tokens',
  severity: 'medium',
  area: 'resource',
  source: ['RFC 7009 2.1'],
  oauch: 'RefreshRevokesAccessTest',
  switchable: true,
  protectsFrom: 'What a stolen refresh token gave goes on working after its revocation.',
  async probe(probe) {
    const endpoint = await probe.endpoint('revocation_endpoint');
    await probe.workingToken();
    const { accessToken, refreshToken } = await probe.flowWithRefresh();
    const body = new URLSearchParams({ ...probe.credentials(), token: refreshToken });
    const { response } = await probe.send('Revoke the refresh token', endpoint, { method: 'POST', body });
    if (response.status !== 200)
      throw new CannotProbe('inconclusive', `The revocation was answered with ${response.status}.`);
    const outcome = await probe.presentToken('Use the access token that came with it', accessToken);
    return [{ label: 'an access token whose refresh token is revoked', outcome }];
  },
  rule: noTokenAccepted,
});
