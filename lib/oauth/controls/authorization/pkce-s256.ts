import { defineControl } from '@/lib/oauth/controls/control';
import { attemptAuthorizations, everyAuthorizationRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'pkce-s256',
  title: 'Only S256 challenges are accepted',
  severity: 'high',
  area: 'authorization',
  source: ['RFC 9700 2.1.1', 'RFC 7636 7.2'],
  oauch: 'PlainPkceDisabledTest',
  switchable: true,
  protectsFrom: 'A plain challenge gives the verifier away to whoever sees the authorization request.',
  probe(probe) {
    return attemptAuthorizations(probe, {
      'the method plain': { code_challenge_method: 'plain' },
      'no method, which means plain': { code_challenge_method: null },
    });
  },
  rule: everyAuthorizationRefused,
});
