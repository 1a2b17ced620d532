import { defineControl } from '@/lib/oauth/controls/control';
import { attemptAuthorizations, everyAuthorizationRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'response-type-code',
  title: 'There is no implicit or hybrid grant',
  severity: 'high',
  area: 'authorization',
  source: ['RFC 9700 2.1.2'],
  oauch: 'ImplicitFlowsSupportedTest',
  switchable: true,
  protectsFrom: 'Access tokens appear in addresses, histories and logs.',
  probe(probe) {
    return attemptAuthorizations(probe, {
      'response_type token': { response_type: 'token' },
      'response_type code token': { response_type: 'code token' },
    });
  },
  rule: everyAuthorizationRefused,
});
