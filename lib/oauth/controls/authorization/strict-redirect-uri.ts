import { defineControl } from '@/lib/oauth/controls/control';
import { attemptAuthorizations, everyRedirectUriRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'strict-redirect-uri',
  title: 'The redirect URI is compared exactly',
  severity: 'critical',
  area: 'authorization',
  source: ['RFC 9700 2.1', 'RFC 9700 4.1'],
  oauch: 'RedirectUriFullyMatchedTest',
  switchable: true,
  protectsFrom: 'Codes and tokens are sent to an address of the attacker.',
  probe(probe) {
    const registered = probe.target.client.redirectUri;
    const { protocol, hostname, host, pathname, origin } = new URL(registered);
    const uris = {
      'another host': `${protocol}//unregistered.example${pathname}`,
      'a sub-domain': `${protocol}//evil.${host}${pathname}`,
      'an added path': `${registered}/more`,
      'an added query': `${registered}?more=1`,
      'user information': `${protocol}//user@${host}${pathname}`,
      'another port': `${protocol}//${hostname}:8443${pathname}`,
      'another letter case': origin + pathname.toUpperCase(),
      'an encoded dot': `${origin}/%2e${pathname}`,
      'a trailing slash': `${registered}/`,
    };
    const variants = Object.entries(uris).map(([label, uri]) => [label, { redirect_uri: uri }] as const);
    return attemptAuthorizations(probe, Object.fromEntries(variants));
  },
  rule: everyRedirectUriRefused,
});
