import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'revocation-client-bound',
  title: 'A client cannot revoke the tokens of another',
  severity: 'medium',
  area: 'resource',
  source: ['RFC 7009 2.1'],
  oauch: 'IsBoundToClientTest',
  switchable: false,
  protectsFrom: 'Anybody with a client ends the sessions of others.',
  async probe(probe) {
    const endpoint = await probe.endpoint('revocation_endpoint');
    const other = probe.otherClient();
    await probe.workingToken();
    const { accessToken: token } = await probe.flow();
    const body = new URLSearchParams({ ...probe.credentials(other), token });
    await probe.send('Revoke the token as another client', endpoint, { method: 'POST', body });
    return probe.presentToken('Use the token', token);
  },
  rule({ accepted }) {
    return accepted ? passed('The token lives.') : failed('Another client revoked the token.');
  },
});
