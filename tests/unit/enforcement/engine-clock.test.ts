import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Breaker } from '@/lib/counters/breaker';
import { MemoryCounters } from '@/lib/counters/memory/store';
import { Engine } from '@/lib/enforcement/engine';
import { RulesCache } from '@/lib/enforcement/rules-cache';
import { parseAddress } from '@/lib/limiter/address';
import { type MigratedDatabase, migratedDatabase } from '../../fixtures/migrated-database';

const START = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;

let file: MigratedDatabase;
beforeEach(async () => {
  file = await migratedDatabase();
});
afterEach(() => file[Symbol.dispose]());

/** An engine whose store has a clock of its own. */
function opened(skew: number) {
  const time = { here: START, skew };
  const here = () => time.here;
  const rules = new RulesCache(file.database, pino({ level: 'silent' }), undefined);
  const engine = new Engine({
    store: new MemoryCounters({ clock: () => time.here + time.skew }),
    local: new MemoryCounters({ clock: here }),
    breaker: new Breaker({ monotonic: () => 0 }),
    rules,
    clock: here,
    record: () => undefined,
    groups: {},
    onStoreFailure: () => undefined,
  });
  const decide = async () => {
    const decision = await engine.decide({
      method: 'GET',
      path: '/api/data',
      address: parseAddress('203.0.113.9'),
      userId: 'alice',
      requestId: null,
    });
    return decision.outcome;
  };
  return { time, rules, decide };
}

describe('the clock that rules expire by', () => {
  it.each([
    ['ahead', 60 * MINUTE, 30 * MINUTE, 'allowed'],
    ['behind', -60 * MINUTE, -30 * MINUTE, 'bypassed'],
  ])('is the store’s, which is %s', async (_, skew, expires, outcome) => {
    const { rules, decide } = opened(skew);
    await decide();
    rules.current.allowedUsers.set('alice', { id: 'a', expiresAt: START + expires });
    expect(await decide()).toBe(outcome);
  });

  it('follows the store’s when that is set', async () => {
    const { time, rules, decide } = opened(0);
    rules.current.allowedUsers.set('alice', { id: 'a', expiresAt: START + 30 * MINUTE });
    expect(await decide()).toBe('bypassed');
    time.skew = 60 * MINUTE;
    await decide();
    expect(await decide()).toBe('allowed');
    time.here += 5 * MINUTE;
    time.skew = 0;
    await decide();
    expect(await decide()).toBe('bypassed');
  });
});
