import { failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'code-single-use',
  title: 'A code works once',
  severity: 'critical',
  area: 'code',
  source: ['RFC 6749 4.1.2'],
  oauch: 'MultipleCodeExchangesTest',
  switchable: true,
  protectsFrom: 'A code from a log or a history is redeemed again.',
  async probe(probe) {
    const given = await probe.code();
    return {
      first: await probe.redeem('Redeem the code', given),
      second: await probe.redeem('Redeem it again', given),
    };
  },
  rule({ first, second }) {
    if (first.kind !== 'issued') return inconclusive('The code could not be redeemed at all.');
    return second.kind === 'issued' ? failed('The code worked twice.') : passed('The second redemption was refused.');
  },
});
