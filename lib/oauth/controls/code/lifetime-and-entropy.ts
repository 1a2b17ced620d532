import { compareTokens } from '@/lib/oauth/assessment/comparison';
import { CannotProbe, createFailed, createInconclusive, createPassed } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeGuessing, measureGuessing } from '@/lib/oauth/controls/guessing-space';
import { redeemCorrectly } from '@/lib/oauth/controls/patterns';

/** The longest lifetime of a code (RFC 6749 section 4.1.2), in seconds. */
const LONGEST_LIFETIME = 600;

/** Controls for the lifetime and the entropy of authorization codes (RFC 6749 sections 4.1.2 and 10.10). */
export const CODE_LIFETIME_AND_ENTROPY: readonly Control[] = [
  defineControl({
    id: 'code-lifetime',
    title: 'A code lives for at most ten minutes, better one',
    wrong: 'A code lives for more than ten minutes',
    severity: 'medium',
    area: 'code',
    source: ['RFC 6749 4.1.2'],
    oauch: 'AuthorizationCodeTimeoutTest',
    switchable: true,
    needs: ['client', 'login', 'patience'],
    cost: 'waits',
    protectsFrom: 'An attacker has more time to find and use a leaked code.',
    tries: { 'redeem the code after': 'RFC 6749 4.1.2' },
    async probe(probe) {
      const { capabilities, patience } = probe.target;
      const kept = await probe.getReservedCode();
      const lifetime = Math.min(kept.grant.lifetime ?? LONGEST_LIFETIME, LONGEST_LIFETIME);
      if (capabilities.advance !== undefined) probe.advance(lifetime + 1);
      else await probe.waitUntil(Math.min(kept.askedAt + lifetime + 1, patience));
      const age = capabilities.advance === undefined ? probe.age() - kept.askedAt : lifetime + 1;
      const outcome = compareTokens(await probe.redeem(`Redeem the code after ${Math.floor(age)} seconds`, kept.grant));
      if (outcome.kind === 'refused') {
        const early = await probe.requestCode();
        await redeemCorrectly(probe, await probe.requestCode());
        const isEnded = (await probe.redeem('Redeem a code after another', early)).kind === 'refused';
        if (isEnded) throw new CannotProbe('inconclusive', 'A new authorization ends an earlier code before its time.');
      }
      return { stated: kept.grant.lifetime ?? null, age: Math.floor(age), outcome };
    },
    rule({ stated, age, outcome }) {
      if (stated !== null && stated > LONGEST_LIFETIME)
        return createFailed(`The server states a lifetime of ${stated} s; the limit is ${LONGEST_LIFETIME} s.`);
      if (outcome.kind === 'refused') return createPassed(`After ${age} s the code had expired.`);
      if (outcome.kind === 'undecided') return createInconclusive(`Undecided: ${outcome.why}.`);
      return age > LONGEST_LIFETIME || (stated !== null && age > stated)
        ? createFailed(`After ${age} s the code still worked.`)
        : createInconclusive(`After ${age} s the code still worked; the limit is ${LONGEST_LIFETIME} s.`);
    },
  }),
  defineControl({
    id: 'code-entropy',
    title: 'Codes cannot be guessed',
    wrong: 'Codes can be guessed',
    severity: 'high',
    area: 'code',
    source: ['RFC 6749 10.10'],
    oauch: 'AuthorizationCodeEntropyMinReqTest',
    switchable: false,
    needs: ['client', 'login'],
    cost: 'waits',
    protectsFrom: 'An attacker guesses the code of another user.',
    tries: { 'ask for a code': 'RFC 6749 10.10' },
    evidence: 'answer',
    async probe(probe) {
      // A visit needs a person's browser, so 64 visits are too many.
      const needed = probe.target.capabilities.visit === undefined ? 64 : 16;
      // Other controls may have asked for enough: one more code is the evidence.
      for (let seen = Math.min(probe.listCollectedValues('code').length, needed - 1); seen < needed; seen++)
        await probe.requestCode();
      const codes = probe.listCollectedValues('code');
      // The collection drops duplicates, so the count comes from the number of requests.
      return { ...measureGuessing(codes, probe.now()), count: Math.max(needed, codes.length) };
    },
    rule: judgeGuessing,
  }),
];
