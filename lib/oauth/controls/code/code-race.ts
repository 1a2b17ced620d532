import { CannotProbe, failed, inconclusive, passed } from '@/lib/oauth/assessment/verdict';
import { defineControl } from '@/lib/oauth/controls/control';

export default defineControl({
  id: 'code-race',
  title: 'Parallel redemptions give one token',
  severity: 'high',
  area: 'code',
  source: ['RFC 6749 4.1.2'],
  oauch: 'MultiFastACExchangeTest',
  switchable: false,
  protectsFrom: 'Two requests in the same instant both pass the check that a code is unused.',
  async probe(probe) {
    const again = await probe.code();
    await probe.redeem('Redeem a code', again);
    const second = await probe.redeem('Redeem it again, in peace', again);
    if (second.kind === 'issued') {
      throw new CannotProbe('not_applicable', 'Codes work more than once here at any time: see code-single-use.');
    }
    const given = await probe.code();
    const race = Array.from({ length: 20 }, () => probe.redeem('Redeem at the same instant', given));
    return (await Promise.all(race)).filter((one) => one.kind === 'issued').length;
  },
  rule(issued) {
    if (issued === 1) return passed('One of 20 redemptions succeeded.');
    return issued === 0
      ? inconclusive('None of 20 redemptions succeeded.')
      : failed(`${issued} of 20 redemptions succeeded.`);
  },
});
