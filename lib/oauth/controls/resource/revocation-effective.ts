import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'revocation-effective',
  title: 'A revoked token is refused',
  severity: 'medium',
  area: 'resource',
  source: ['RFC 7009 2'],
  oauch: 'CanAccessTokensBeRevokedTest',
  switchable: true,
  protectsFrom: 'Signing out, or reporting a theft, changes nothing.',
  async probe(probe) {
    const endpoint = await probe.endpoint('revocation_endpoint');
    await probe.workingToken();
    const { accessToken: token } = await probe.flow();
    const body = new URLSearchParams({ ...probe.credentials(), token });
    const { response } = await probe.send('Revoke the access token', endpoint, { method: 'POST', body });
    if (response.status !== 200)
      throw new CannotProbe('inconclusive', `The revocation was answered with ${response.status}.`);
    return [{ label: 'a revoked token', outcome: await probe.presentToken('Use the revoked token', token) }];
  },
  rule: noTokenAccepted,
});
