import { defineControl } from '@/lib/oauth/controls/control';
import { attemptAuthorizations, everyAuthorizationRefused } from '@/lib/oauth/controls/refused-requests';

export default defineControl({
  id: 'require-pkce',
  title: 'PKCE is required',
  severity: 'critical',
  area: 'authorization',
  source: ['RFC 9700 2.1.1', 'RFC 7636 4.4.1'],
  oauch: 'IsPkceRequiredTest',
  switchable: true,
  protectsFrom: 'Whoever gets hold of a code can redeem it, or inject it into a session.',
  probe(probe) {
    const fields = { code_challenge: null, code_challenge_method: null };
    return attemptAuthorizations(probe, { 'no code_challenge': fields });
  },
  rule: everyAuthorizationRefused,
});
