import { defineControl } from '@/lib/oauth/controls/control';
import { everyTokenRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'refresh-client-binding',
  title: 'A refresh token is bound to its client',
  severity: 'critical',
  area: 'token',
  source: ['RFC 6749 6'],
  oauch: 'IsRefreshBoundToClientTest',
  switchable: true,
  protectsFrom: 'A client uses refresh tokens that were issued to another.',
  async probe(probe) {
    const client = probe.otherClient();
    const { refreshToken } = await probe.flowWithRefresh();
    const outcome = await probe.refresh('Refresh as another client', refreshToken, {}, { client });
    return [{ label: 'a refresh as another client', outcome }];
  },
  rule: everyTokenRefused,
});
