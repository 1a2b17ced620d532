import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { attemptAuthorizations, everyAuthorizationRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'redirect-uri-required',
  title: 'A client with several redirect URIs has to name one',
  severity: 'medium',
  area: 'authorization',
  source: ['RFC 6749 3.1.2.3'],
  oauch: 'RedirectUriRequiredTest',
  switchable: false,
  protectsFrom: 'The answer goes to an address that the client did not mean.',
  probe(probe) {
    if (!probe.target.severalRedirectUris) {
      throw new CannotProbe('not_applicable', 'The client has registered a single redirect URI.');
    }
    return attemptAuthorizations(probe, { 'no redirect_uri': { redirect_uri: null } });
  },
  rule: everyAuthorizationRefused,
});
