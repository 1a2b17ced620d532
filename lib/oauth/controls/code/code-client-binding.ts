import { defineControl } from '@/lib/oauth/controls/control';
import { everyTokenRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'code-client-binding',
  title: 'A code is bound to its client',
  severity: 'critical',
  area: 'code',
  source: ['RFC 6749 4.1.3'],
  oauch: 'IsCodeBoundToClientTest',
  switchable: true,
  protectsFrom: 'A client redeems codes that were issued to another.',
  async probe(probe) {
    const other = probe.otherClient();
    const given = await probe.code();
    const outcome = await probe.redeem('Redeem the code as another client', given, {}, { client: other });
    return [{ label: 'redemption as another client', outcome }];
  },
  rule: everyTokenRefused,
});
