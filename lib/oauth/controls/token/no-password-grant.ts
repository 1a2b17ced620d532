import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'no-password-grant',
  title: 'The password grant is off',
  severity: 'high',
  area: 'token',
  source: ['RFC 9700 2.4'],
  oauch: 'IsPasswordFlowDisabledTest',
  switchable: false,
  protectsFrom: 'Applications see the passwords of their users.',
  async probe(probe) {
    const fields = { grant_type: 'password', username: 'sluice', password: 'sluice', scope: probe.target.scope };
    return probe.tokenRequest('Ask with a password', fields);
  },
  rule(outcome) {
    if (outcome.kind === 'issued') return failed('A token was issued for a password.');
    if (outcome.error === 'invalid_grant') return failed('The grant exists: only the password was wrong.');
    return passed(`Refused with ${outcome.error ?? `status ${outcome.status}`}.`);
  },
});
