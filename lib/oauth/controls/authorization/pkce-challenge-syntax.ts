import { defineControl } from '@/lib/oauth/controls/control';
import { attemptAuthorizations, everyAuthorizationRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'pkce-challenge-syntax',
  title: 'Malformed challenges are refused',
  severity: 'medium',
  area: 'authorization',
  source: ['RFC 7636 4.2'],
  oauch: 'ShortVerifierTest',
  switchable: false,
  protectsFrom: 'A challenge that is short or guessable protects nothing.',
  probe(probe) {
    return attemptAuthorizations(probe, {
      '42 characters': { code_challenge: 'a'.repeat(42) },
      padding: { code_challenge: `${'a'.repeat(43)}=` },
      'characters outside of the alphabet': { code_challenge: `${'a'.repeat(41)}+/` },
    });
  },
  rule: everyAuthorizationRefused,
});
