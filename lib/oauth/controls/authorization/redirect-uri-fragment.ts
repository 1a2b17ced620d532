import { defineControl } from '@/lib/oauth/controls/control';
import { attemptAuthorizations, everyAuthorizationRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'redirect-uri-fragment',
  title: 'Redirect URIs have no fragment',
  severity: 'medium',
  area: 'authorization',
  source: ['RFC 6749 3.1.2'],
  oauch: 'HasFragmentTest',
  switchable: false,
  protectsFrom: 'A fragment hides the code from the application, or moves it to a script of somebody else.',
  probe(probe) {
    const redirect_uri = `${probe.target.client.redirectUri}#fragment`;
    return attemptAuthorizations(probe, { 'a fragment': { redirect_uri } });
  },
  rule: everyAuthorizationRefused,
});
