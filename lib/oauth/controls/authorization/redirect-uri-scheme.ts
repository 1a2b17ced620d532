import { defineControl } from '@/lib/oauth/controls/control';
import { attemptAuthorizations, everyRedirectUriRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'redirect-uri-scheme',
  title: 'Redirect URIs use https, or http on a loopback address',
  severity: 'high',
  area: 'authorization',
  source: ['RFC 9700 2.1', 'RFC 8252 7.3'],
  switchable: true,
  protectsFrom: 'The code travels in the clear, or becomes a script in the browser.',
  probe(probe) {
    const { host, pathname } = new URL(probe.target.client.redirectUri);
    return attemptAuthorizations(probe, {
      'http off loopback': { redirect_uri: `http://${host}${pathname}` },
      javascript: { redirect_uri: 'javascript:alert(1)' },
      data: { redirect_uri: 'data:text/html,hello' },
    });
  },
  rule: everyRedirectUriRefused,
});
