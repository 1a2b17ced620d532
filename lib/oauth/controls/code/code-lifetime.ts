import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

/** Seconds. */
const LONGEST = 600;

export default defineControl({
  id: 'code-lifetime',
  title: 'A code lives for ten minutes at most, better one',
  severity: 'medium',
  area: 'code',
  source: ['RFC 6749 4.1.2'],
  oauch: 'AuthorizationCodeTimeoutTest',
  switchable: true,
  protectsFrom: 'There is more time to find and use a code that leaked.',
  async probe(probe) {
    const given = await probe.code();
    const lifetime = Math.min(given.lifetime ?? LONGEST, LONGEST);
    probe.advance(lifetime + 1);
    return {
      stated: given.lifetime,
      outcome: await probe.redeem(`Redeem the code ${lifetime + 1} seconds later`, given),
    };
  },
  rule({ stated, outcome }) {
    if (stated !== null && stated > LONGEST) return failed(`The server states a life of ${stated} seconds.`);
    return outcome.kind === 'issued' ? failed('The code still worked.') : passed('The code had expired.');
  },
});
