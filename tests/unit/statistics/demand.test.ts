import { describe, expect, it } from 'vitest';
import { Demand, FOLLOWED } from '@/lib/statistics/demand';
import { MINUTE } from '@/lib/units';
import { decisionEvent, refusalEvent } from '@/tests/fixtures/decision-event';

const START = Date.UTC(2026, 10, 20, 12);

describe('demand', () => {
  it('is counted by ten seconds, admitted or not, and as refused, once the minute is over', () => {
    const demand = new Demand();
    demand.add(decisionEvent(START, { cost: 3 }));
    demand.add(refusalEvent(START + 59_999, '203.0.113.7', { usedShares: { ip: 100, user: null, client: null } }));
    demand.add(decisionEvent(START + 20_000, { outcome: 'bypassed' }));
    expect(demand.take(START + MINUTE - 1, 100)).toEqual([]);
    expect(demand.take(START + MINUTE, 100)).toEqual([[START, 'ip', 'read', '203.0.113.7', 3, 0, 0, 0, 0, 1, 1, 100]]);
    expect(demand.take(START + MINUTE, 100)).toEqual([]);
  });

  it('follows users and keys as well, a key in all classes together', () => {
    const demand = new Demand();
    const who = { ip: null, userId: 'alice', apiKeyId: 'key-1' };
    demand.add(decisionEvent(START, who));
    demand.add(decisionEvent(START, { ...who, class: 'write' }));
    expect(demand.take(START + MINUTE, 100)).toEqual([
      [START, 'user', 'read', 'alice', 1, 0, 0, 0, 0, 0, 0, 0],
      [START, 'user', 'write', 'alice', 1, 0, 0, 0, 0, 0, 0, 0],
      [START, 'client', 'all', 'key-1', 2, 0, 0, 0, 0, 0, 0, 0],
    ]);
  });

  it('counts IPv6 addresses by their /64, as the limiter does', () => {
    const demand = new Demand();
    for (const ip of ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1']) demand.add(decisionEvent(START, { ip }));
    expect(demand.take(START + MINUTE, 100).map((row) => [row[3], row[4]])).toEqual([
      ['2001:db8::/64', 2],
      ['2001:db8:0:1::/64', 1],
    ]);
  });

  it('keeps the busiest and one number for all others, whatever their number', () => {
    const demand = new Demand();
    for (let n = 0; n < 200; n += 1) demand.add(decisionEvent(START, { ip: '198.51.100.1' }));
    for (let n = 0; n < 10_000; n += 1) demand.add(decisionEvent(START, { ip: `10.0.${n >> 8}.${n & 255}` }));
    const rows = demand.take(START + MINUTE, 1_000);
    expect(rows).toHaveLength(FOLLOWED + 1);
    expect(rows[0]).toEqual([START, 'ip', 'read', '198.51.100.1', 200, 0, 0, 0, 0, 0, 0, 0]);
    expect(rows.at(-1)?.slice(3, 5)).toEqual(['', 10_000 - (FOLLOWED - 1)]);
  });

  it('counts the subjects of named limits by their units, with the largest used share', () => {
    const demand = new Demand();
    const uses = (units: number, percent: number) => [{ name: 'sms', subject: '+4670', units, percent }];
    demand.add(decisionEvent(START, { class: null, ip: null, limitUses: uses(5, 40) }));
    demand.add(decisionEvent(START + 10_000, { class: null, ip: null, outcome: 'refused', limitUses: uses(9, 90) }));
    demand.add(decisionEvent(START + 20_000, { class: null, ip: null, limitUses: uses(1, 50) }));
    expect(demand.take(START + MINUTE, 100)).toEqual([[START, 'limit', 'sms', '+4670', 5, 9, 1, 0, 0, 0, 9, 90]]);
  });

  it('stays bounded with a thousand named limits, and drops none of the classes', () => {
    const demand = new Demand();
    for (let n = 0; n < 30_000; n += 1) {
      const limitUses = [{ name: `limit-${n % 1_000}`, subject: `subject-${n}`, units: 1, percent: 1 }];
      demand.add(decisionEvent(START, { limitUses }));
    }
    const rows = demand.take(START + MINUTE, 100_000);
    expect(rows.length).toBeLessThan(6_000);
    expect(rows.filter(([, subject]) => subject === 'ip')).toHaveLength(1);
    expect(rows.reduce((sum, [, subject, , , p0]) => sum + (subject === 'limit' ? (p0 ?? 0) : 0), 0)).toBe(30_000);
  });
});
