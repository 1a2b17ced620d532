import { capitalize } from '@/lib/capitalize';
import type { Comparison } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { WITHOUT_PKCE } from '@/lib/oauth/assessment/requests';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { ignoreUndecided } from '@/lib/oauth/assessment/verdict';
import { askInWay } from '@/lib/oauth/controls/ask-in-way';
import { findOtherConfidentialClient } from '@/lib/oauth/controls/attempt-as-others';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { compareRedemption, defineAuthorizationControl } from '@/lib/oauth/controls/patterns';
import { authorizeRefusably } from '@/lib/oauth/controls/repeat-fault';

/** The request without a challenge, sent in other ways. */
const OTHER_WAYS = { byPost: 'no code_challenge by POST', pushed: 'no code_challenge, pushed' } as const;
const PLAIN_PUSHED = 'the method plain, pushed';
const WITH_SECRET = 'no code_challenge and no nonce of a client with a secret';

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
    tries: {
      'no code_challenge': 'RFC 7636 4.4.1',
      'an empty code_challenge': 'CVE-2024-22258',
      'a method without a challenge': 'RFC 7636 4.3',
      'no code_challenge of a native client': 'RFC 8252 6',
      'no code_challenge by POST': 'RFC 6749 3.1',
      'no code_challenge, pushed': 'RFC 9126 2.1',
      [WITH_SECRET]: 'RFC 9700 2.1.1',
    },
    async probe(probe) {
      const good = await probe.requireAccepted();
      const variants = {
        'no code_challenge': { code_challenge: null, code_challenge_method: null },
        'an empty code_challenge': { code_challenge: '' },
        'a method without a challenge': { code_challenge: null },
      };
      const comparisons = new Map<string, Comparison>();
      for (const [label, fields] of Object.entries(variants)) {
        const outcome = await authorizeRefusably(probe, () => probe.authorize(label, fields));
        const compared = await compareRedemption(probe, good, outcome);
        comparisons.set(label, compared);
        if (compared.kind === 'accepted') return comparisons;
      }
      const native = await compareOther(probe, probe.target.nativeClient, 'no code_challenge of a native client');
      const confidential = findOtherConfidentialClient(probe);
      const others = [...native, ...(await compareOther(probe, confidential ?? null, WITH_SECRET))];
      for (const [label, compared] of others) comparisons.set(label, compared);
      for (const [way, label] of Object.entries(OTHER_WAYS)) {
        const sent = await askInWay(probe, way as keyof typeof OTHER_WAYS, label, WITHOUT_PKCE);
        if (sent !== null) comparisons.set(label, await compareRedemption(probe, good, sent));
      }
      return comparisons;
    },
    rule: (comparisons) =>
      judgeRefusals(comparisons, {
        label: WITH_SECRET,
        severity: 'medium',
        describe: (reason) => `${reason} RFC 9700 recommends PKCE for clients with a secret, too.`,
      }),
  }),
  defineControl({
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
    tries: {
      'the method plain': 'RFC 9700 2.1.1',
      'no method, which means plain': 'RFC 7636 4.3',
      'the method plain in capitals': 'RFC 7636 4.3',
      'the method plain with a capital': 'RFC 7636 4.3',
      'an empty method': 'RFC 7636 4.3',
      'an unknown method': 'RFC 7636 4.4.1',
      [PLAIN_PUSHED]: 'RFC 9126 2.1',
    },
    async probe(probe) {
      const good = await probe.requireAccepted();
      const methods = {
        'the method plain': 'plain',
        'no method, which means plain': null,
        'the method plain in capitals': 'PLAIN',
        'the method plain with a capital': 'Plain',
        'an empty method': '',
        'an unknown method': 'S1024',
      };
      const comparisons = new Map<string, Comparison>();
      for (const [label, code_challenge_method] of Object.entries(methods)) {
        const verifier = probe.generateRandomText();
        const fields = { code_challenge: verifier, code_challenge_method };
        const outcome = await authorizeRefusably(probe, () => probe.authorize(label, fields));
        // Some servers take such a challenge for an S256 one: its verifier redeems nothing then.
        comparisons.set(label, await compareRedemption(probe, good, outcome, verifier));
      }
      const verifier = probe.generateRandomText();
      const plain = { code_challenge: verifier, code_challenge_method: 'plain' };
      const pushed = await askInWay(probe, 'pushed', PLAIN_PUSHED, plain);
      if (pushed !== null) comparisons.set(PLAIN_PUSHED, await compareRedemption(probe, good, pushed, verifier));
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineAuthorizationControl({
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
    tries: {
      '42 characters': 'RFC 7636 4.2',
      '129 characters': 'RFC 7636 4.2',
      padding: 'RFC 7636 4.2',
      'characters outside the alphabet': 'RFC 7636 4.2',
    },
    variants: () => ({
      '129 characters': { code_challenge: 'a'.repeat(129) },
      '42 characters': { code_challenge: 'a'.repeat(42) },
      padding: { code_challenge: `${'a'.repeat(43)}=` },
      'characters outside the alphabet': { code_challenge: `${'a'.repeat(41)}+/` },
    }),
  }),
];

/**
 * Compares a request of another client without a challenge, and without a nonce, with its valid one. Empty without such
 * a client, or if nothing is decided.
 */
async function compareOther(
  probe: Probe,
  client: TargetClient | null,
  label: string,
): Promise<[label: string, compared: Comparison][]> {
  if (client === null) return [];
  const compare = async () => {
    const good = await probe.requireAccepted({ client });
    const options = { client, anonymous: good.outcome.kind === 'page' };
    const send = () => probe.authorize(capitalize(label), { ...WITHOUT_PKCE, nonce: null }, options);
    return compareRedemption(probe, good, await authorizeRefusably(probe, send), null, client);
  };
  const compared = await compare().catch(ignoreUndecided);
  return compared === null || compared.kind === 'undecided' ? [] : [[label, compared]];
}
