import { defineControl } from '@/lib/oauth/controls/control';
import { everyTokenRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'code-redirect-binding',
  title: 'A code is bound to the redirect URI',
  severity: 'high',
  area: 'code',
  source: ['RFC 6749 4.1.3'],
  oauch: 'RedirectUriCheckedTest',
  switchable: true,
  protectsFrom: "A code that was sent to the attacker's address is redeemed for the victim's session.",
  async probe(probe) {
    const given = await probe.code();
    const redirect_uri = `${probe.target.client.redirectUri}/other`;
    return [
      {
        label: 'another redirect_uri',
        outcome: await probe.redeem('Redeem with another redirect_uri', given, { redirect_uri }),
      },
    ];
  },
  rule: everyTokenRefused,
});
