import { responseHeader } from '@/lib/oauth/assessment/exchange';
import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'cors-token-endpoint',
  title: 'No page of any origin may send credentials along',
  severity: 'low',
  area: 'transport',
  source: ['RFC 9700 2.6'],
  switchable: false,
  protectsFrom: 'A page that the user visits talks to the token endpoint in their name.',
  async probe(probe) {
    const origin = 'https://unregistered.example';
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type',
    };
    const preflight = await probe.send('A preflight of a foreign origin', await probe.endpoint('token_endpoint'), {
      method: 'OPTIONS',
      headers,
    });
    const allowed = responseHeader(preflight, 'access-control-allow-origin');
    const credentials = responseHeader(preflight, 'access-control-allow-credentials') === 'true';
    return { open: allowed === '*' || allowed === origin || allowed === 'null', credentials };
  },
  rule({ open, credentials }) {
    return open && credentials
      ? failed('Any origin may send credentials along.')
      : passed('A foreign origin gets no credentials.');
  },
});
