import { defineControl } from '@/lib/oauth/controls/control';
import { everyAuthorizationRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'duplicate-parameters',
  title: 'Repeated parameters are refused',
  severity: 'medium',
  area: 'authorization',
  source: ['RFC 6749 3.1'],
  oauch: 'SameParameterTwiceDisallowedTest',
  switchable: false,
  protectsFrom: 'Two parts of a system read different values from one request.',
  async probe(probe) {
    const parameters = probe.authorizationParameters();
    parameters.append('client_id', 'another-client');
    return [{ label: 'client_id twice', outcome: await probe.authorizeWith('client_id twice', parameters) }];
  },
  rule: everyAuthorizationRefused,
});
