import { failed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { everyTokenRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'client-authentication',
  title: 'A confidential client has to authenticate',
  severity: 'critical',
  area: 'token',
  source: ['RFC 6749 3.2.1'],
  oauch: 'IsClientAuthenticationRequiredTest',
  switchable: true,
  protectsFrom: 'Anybody acts as a client whose name they know.',
  async probe(probe) {
    const client = probe.confidentialClient();
    const attempts = [];
    const secrets = { 'no secret': null, 'a wrong secret': 'not-the-secret' };
    for (const [label, client_secret] of Object.entries(secrets)) {
      const given = await probe.code({}, { client });
      const fields = { client_secret, redirect_uri: client.redirectUri };
      attempts.push({ label, outcome: await probe.redeem(`Redeem with ${label}`, given, fields, { client }) });
    }
    return attempts;
  },
  rule(attempts) {
    const verdict = everyTokenRefused(attempts);
    const other = attempts.find(({ outcome }) => outcome.kind === 'refused' && outcome.error !== 'invalid_client');
    if (verdict.kind === 'passed' && other !== undefined)
      return failed(`Refused, but not as invalid_client: ${other.label}.`);
    return verdict;
  },
});
