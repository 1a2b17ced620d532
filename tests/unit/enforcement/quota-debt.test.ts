import { expect, it } from 'vitest';
import { DEFAULT_POLICIES } from '@/lib/contract/policies';
import { QuotaDebt } from '@/lib/enforcement/degraded-mode';
import type { Plan } from '@/lib/enforcement/plan';
import { Rules } from '@/lib/enforcement/rules';
import type { Meter } from '@/lib/limiter/meter';

const quota = (key: string): Meter => ({ subject: 'quota', key, limit: 1, window: { kind: 'month' } });
const ip: Meter = { subject: 'ip', key: 'ip', limit: 1, window: { kind: 'sliding', seconds: 60 } };
const planned = (cost: number, ...meters: Meter[]) =>
  ({ attempt: { cost, meters }, key: { id: meters.at(-1)?.key } }) as unknown as Plan;
const rules = new Rules(DEFAULT_POLICIES);

it('is what the quotas of keys have to be charged with, by key, whatever their limit', () => {
  const debt = new QuotaDebt();
  debt.add(planned(2, ip, quota('a')));
  debt.add(planned(3, quota('a')));
  debt.add(planned(4, quota('b')));
  debt.add(planned(5, ip));
  expect(debt.pay(rules).attempts).toEqual([
    { meters: [{ ...quota('a'), unlimited: true }], cost: 5 },
    { meters: [{ ...quota('b'), unlimited: true }], cost: 4 },
  ]);
  expect(debt.pay(rules).attempts).toEqual([]);
});

it('is what a request costs the quota, where that differs from its cost', () => {
  const debt = new QuotaDebt();
  const own = { ...quota('a'), cost: 7 };
  debt.add(planned(2, ip, own));
  debt.add(planned(2, ip, own));
  expect(debt.findDebt(planned(2, ip, own))).toEqual([{ meters: [{ ...quota('a'), unlimited: true }], cost: 14 }]);
  expect(debt.pay(rules).attempts).toEqual([{ meters: [{ ...quota('a'), unlimited: true }], cost: 14 }]);
});

it('is owed again when the payment was refunded, with what came meanwhile', () => {
  const debt = new QuotaDebt();
  debt.add(planned(2, quota('a')));
  const payment = debt.pay(rules);
  debt.add(planned(3, quota('a')));
  payment.refund();
  expect(debt.pay(rules).attempts).toMatchObject([{ cost: 5 }]);
  debt.pay(rules).refund();
  expect(debt.pay(rules).attempts).toEqual([]);
});
