import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { compareWithoutPkce, everyRefused, refusesAuthorizations } from '@/lib/oauth/controls/patterns';

/** Controls for PKCE at the authorization endpoint (RFC 7636 sections 4.2 and 4.3). */
export const PKCE_CHALLENGES: readonly Control[] = [
  defineControl({
    id: 'require-pkce',
    title: 'PKCE is required',
    wrong: 'PKCE is not required',
    severity: 'critical',
    area: 'authorization',
    source: ['RFC 9700 2.1.1', 'RFC 7636 4.4.1'],
    oauch: 'IsPkceRequiredTest',
    switchable: true,
    needs: ['client'],
    protectsFrom: 'Anyone who obtains a code can redeem it, or inject it into another session.',
    async probe(probe) {
      const good = await probe.inOrder();
      const bad = await probe.authorize('No code_challenge', { code_challenge: null, code_challenge_method: null });
      return new Map([['no code_challenge', await compareWithoutPkce(probe, good, bad)]]);
    },
    rule: everyRefused,
  }),
  refusesAuthorizations({
    id: 'pkce-s256',
    title: 'Only S256 challenges are accepted',
    wrong: 'Plain PKCE challenges are accepted',
    severity: 'high',
    area: 'authorization',
    source: ['RFC 9700 2.1.1', 'RFC 7636 7.2'],
    oauch: 'PlainPkceDisabledTest',
    switchable: true,
    needs: ['client'],
    protectsFrom: 'A plain challenge reveals the verifier to anyone who sees the authorization request.',
    variants: () => ({
      'the method plain': { code_challenge_method: 'plain' },
      'no method, which means plain': { code_challenge_method: null },
    }),
  }),
  refusesAuthorizations({
    id: 'pkce-challenge-syntax',
    title: 'Malformed challenges are refused',
    wrong: 'Malformed challenges are accepted',
    severity: 'low',
    area: 'authorization',
    source: ['RFC 7636 4.2'],
    oauch: 'ShortVerifierTest',
    switchable: false,
    needs: ['client'],
    protectsFrom: 'A short or guessable challenge protects nothing.',
    variants: () => ({
      '42 characters': { code_challenge: 'a'.repeat(42) },
      padding: { code_challenge: `${'a'.repeat(43)}=` },
      'characters outside the alphabet': { code_challenge: `${'a'.repeat(41)}+/` },
    }),
  }),
];
