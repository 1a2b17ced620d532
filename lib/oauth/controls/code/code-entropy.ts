import { failed, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';
import { describeGuessing, isUnguessable, measureGuessing } from '@/lib/oauth/controls/guessing-space';

export default defineControl({
  id: 'code-entropy',
  title: 'Codes cannot be guessed',
  severity: 'high',
  area: 'code',
  source: ['RFC 6749 10.10'],
  oauch: 'AuthorizationCodeEntropyMinReqTest',
  switchable: false,
  protectsFrom: 'An attacker guesses the code of somebody else.',
  async probe(probe) {
    const given = await Promise.all(Array.from({ length: 64 }, () => probe.code()));
    return measureGuessing(given.map(({ code }) => code));
  },
  rule(space) {
    return isUnguessable(space) ? passed(`${describeGuessing(space)}.`) : failed(`${describeGuessing(space)}.`);
  },
});
