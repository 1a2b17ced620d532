import { defineControl } from '@/lib/oauth/controls/control';
import { everyTokenRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'credentials-in-uri',
  title: 'Client credentials in the URL are refused',
  severity: 'medium',
  area: 'token',
  source: ['RFC 6749 2.3.1'],
  oauch: 'IsAuthInUriAllowedTest',
  switchable: false,
  protectsFrom: 'Secrets end up in logs and histories.',
  async probe(probe) {
    const client = probe.confidentialClient();
    const given = await probe.code({}, { client });
    const query = `?client_id=${encodeURIComponent(client.id)}&client_secret=${encodeURIComponent(client.secret)}`;
    const fields = {
      grant_type: 'authorization_code',
      code: given.code,
      code_verifier: given.verifier,
      redirect_uri: client.redirectUri,
      client_secret: null,
    };
    return [
      {
        label: 'the secret in the query',
        outcome: await probe.tokenRequest('The secret in the query', fields, { client, query }),
      },
    ];
  },
  rule: everyTokenRefused,
});
