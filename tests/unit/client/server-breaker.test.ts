import { expect, test } from 'vitest';
import { ServerBreaker } from '@/client/server-breaker';

function breaker() {
  const time = { now: 1_000_000 };
  const turns: string[] = [];
  const made = new ServerBreaker({ now: () => time.now }, (state) => turns.push(state), { failures: 3, cooldown: 100 });
  const fail = (times: number) => {
    for (let i = 0; i < times; i++) made.reportFailure();
  };
  return { made, time, turns, fail };
}

test('opens after failures in a row', () => {
  const { made, fail } = breaker();
  fail(2);
  made.reportAnswer();
  fail(2);
  expect(made.admitRequest()).toBe(true);
  fail(1);
  expect(made.admitRequest()).toBe(false);
});

test('lets one check ask after the cool-down, and closes when that is answered', () => {
  const { made, time, turns, fail } = breaker();
  fail(3);
  time.now += 99;
  expect(made.admitRequest()).toBe(false);
  time.now += 1;
  expect([made.admitRequest(), made.admitRequest()]).toEqual([true, false]);
  made.reportAnswer();
  expect(made.admitRequest()).toBe(true);
  expect(turns).toEqual(['open', 'half-open', 'closed']);
});

test('waits again when the one check fails', () => {
  const { made, time, fail } = breaker();
  fail(3);
  time.now += 100;
  expect(made.admitRequest()).toBe(true);
  fail(1);
  expect(made.admitRequest()).toBe(false);
  time.now += 100;
  expect(made.admitRequest()).toBe(true);
});

test('asks again at once when nobody waited for the one check', () => {
  const { made, time, fail } = breaker();
  fail(3);
  time.now += 100;
  expect(made.admitRequest()).toBe(true);
  made.reportAbandoned();
  expect(made.admitRequest()).toBe(true);
});

test('a clock that goes back does not keep it open', () => {
  const { made, time, fail } = breaker();
  fail(3);
  time.now -= 1_000_000;
  expect(made.admitRequest()).toBe(true);
});

test('a late failure does not prolong the cool-down', () => {
  const { made, time, fail } = breaker();
  fail(3);
  time.now += 60;
  fail(1);
  time.now += 40;
  expect(made.admitRequest()).toBe(true);
});
