import { defineControl } from '@/lib/oauth/controls/control';
import { noTokenAccepted } from '@/lib/oauth/controls/refused-requests';
import { forgeLike } from '@/lib/oauth/controls/token-parts';

export default defineControl({
  id: 'issuer-validated',
  title: 'The issuer of a token is checked',
  severity: 'high',
  area: 'resource',
  source: ['RFC 9068 4'],
  switchable: true,
  protectsFrom: 'A token of another server, or of another tenant with the same key, is accepted.',
  async probe(probe) {
    const token = await forgeLike(probe, { iss: 'https://another-issuer.example' });
    return [
      { label: 'a token of another issuer', outcome: await probe.presentToken('Use a token of another issuer', token) },
    ];
  },
  rule: noTokenAccepted,
});
