import { parametersOf, redirectOf } from '@/lib/oauth/assessment/outcomes';
import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'no-open-redirect-on-error',
  title: 'Errors go back to registered addresses only',
  severity: 'critical',
  area: 'authorization',
  source: ['RFC 9700 4.11.2', 'RFC 6749 4.1.2.1'],
  oauch: 'InvalidRedirectTest',
  switchable: true,
  protectsFrom: 'The server becomes an open redirector that lends its name to phishing.',
  async probe(probe) {
    const evil = 'https://unregistered.example/landing';
    const unknown = probe.authorizationParameters({ client_id: 'nobody-of-this-name', redirect_uri: evil });
    const foreign = probe.authorizationParameters({ redirect_uri: evil });
    const targets = [
      redirectOf(await probe.browse('An unknown client', unknown)),
      redirectOf(await probe.browse('An unregistered redirect URI', foreign)),
    ];
    // A redirect that carries a code is no error: strict-redirect-uri judges it.
    return targets.filter((target) => target?.startsWith(evil) && !('code' in parametersOf(target)));
  },
  rule(redirects) {
    if (redirects.length > 0) return failed('The browser was sent to an address that is not registered.');
    return passed('The browser was sent nowhere.');
  },
});
