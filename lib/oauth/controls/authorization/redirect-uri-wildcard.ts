import { defineControl } from '@/lib/oauth/controls/control';
import { attemptAuthorizations, everyRedirectUriRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'redirect-uri-wildcard',
  title: 'Registered redirect URIs are no patterns',
  severity: 'critical',
  area: 'authorization',
  source: ['RFC 9700 4.1.3'],
  oauch: 'RedirectUriPathMatchedTest',
  switchable: true,
  protectsFrom: 'An address that merely begins like the registered one receives the code.',
  probe(probe) {
    const registered = probe.target.client.redirectUri;
    return attemptAuthorizations(probe, {
      'a name appended': { redirect_uri: `${registered}-of-somebody-else` },
      'a host appended': { redirect_uri: `${registered}.unregistered.example` },
    });
  },
  rule: everyRedirectUriRefused,
});
