import { beforeEach, describe, expect, test } from 'vitest';
import { keyDays, lastUses } from '@/drizzle/schema';
import { createApiKey } from '@/lib/admin/keys/create';
import { forecastQuotas } from '@/lib/admin/keys/forecast-quotas';
import { listApiKeys } from '@/lib/admin/keys/list';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { findStart } from '@/lib/statistics/step';
import { DAY } from '@/lib/units';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

/** A key of 1,000 requests a month that has used `used` of them; on each of the seven days from tomorrow on, `perDay`. */
async function keyThat(name: string, used: number, perDay = 0, more: Record<string, unknown> = {}): Promise<string> {
  const { engine, database } = here.services;
  const { id, secret } = (await call(here.services, createApiKey, { body: { name, tier: 'free', ...more } })).json;
  if (used > 0) {
    const request = { method: 'GET', path: '/', address: undefined, requestId: null };
    await engine.decide({ ...request, apiKey: secret, cost: used });
  }
  for (let days = 1; days <= 7 && perDay > 0; days += 1) {
    const day = findStart(here.clock.now, DAY) + (8 - days) * DAY;
    await database.drizzle.insert(keyDays).values({ apiKeyId: id, day, allowed: perDay, refused: 0 });
  }
  here.clock.advance(60_000);
  return id;
}

/** The names of all keys that match, read page by page. */
async function names(query: Record<string, string> = {}, limit = '2'): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await call(here.services, listApiKeys, { query: { ...query, limit, ...(cursor ? { cursor } : {}) } });
    found.push(...page.json.map((key: { name: string }) => key.name));
    const next = /cursor=([^&>]+)/.exec(page.headers.get('link') ?? '')?.[1];
    if (next === undefined) return found;
    // Time goes on between two pages.
    here.clock.advance(30_000);
    cursor = next;
  }
}

beforeEach(async () => {
  const wide = { clients: { confidential: { limit: 1_000_000 } } };
  await call(here.services, patchPolicies, { body: wide });
  // Whole days to take a mean of.
  here.clock.now -= 8 * DAY;
  await keyThat('unused', 0);
  await keyThat('steady', 500, 10);
  await keyThat('used up', 1_000, 100);
  await keyThat('soon', 300, 500);
  await keyThat('later', 900, 15);
  here.clock.now += 8 * DAY;
});

test('names are in natural order: numbers within them by value, whatever the case', async () => {
  const named = ['key 1019', 'Key 102', 'key 9', 'key 9b', 'key 10.2', 'key 10.10', 'Zeta'];
  for (const name of named) await call(here.services, createApiKey, { body: { name, tier: 'free' } });
  const order = ['key 9', 'key 9b', 'key 10.2', 'key 10.10', 'Key 102', 'key 1019'];
  for (const query of [{}, { status: 'all' }] as Record<string, string>[]) {
    const all = await names({ ...query, sort: 'name' });
    expect(all.filter((name) => order.includes(name))).toEqual(order);
    expect(all.at(-1)).toBe('Zeta');
    expect(await names({ ...query, sort: '-name' })).toEqual([...all].reverse());
  }
});

test('the number of all keys that match comes with a page that prefers it', async () => {
  const total = async (query: Record<string, string>, prefer = 'count=exact') => {
    const page = await call(here.services, listApiKeys, {
      query: { limit: '1', ...query },
      headers: { Prefer: prefer },
    });
    return page.headers.get('x-total-count');
  };
  const queries: Record<string, string>[] = [
    {},
    { q: 'used' },
    { state: 'near' },
    { sort: '-usage' },
    { status: 'all', never_used: 'true' },
    { q: 'nothing like it' },
  ];
  for (const query of queries) {
    expect(await total(query), JSON.stringify(query)).toBe(String((await names(query)).length));
    expect(await total({ ...query, limit: '2' }, 'respond-async, Count=Exact')).toBe(await total(query));
  }
  expect(await total({}, 'count=planned')).toBeNull();
});

describe('who runs out first', () => {
  const ORDER = ['used up', 'soon', 'later', 'steady', 'unused'];

  test('comes first: used up, then by the time that is left, then by what was used', async () => {
    expect(await names({ sort: 'runs_out_at' })).toEqual(ORDER);
    expect(await names({ sort: '-runs_out_at' })).toEqual([...ORDER].reverse());
    expect(await names({ sort: 'runs_out_at' }, '1')).toEqual(ORDER);
  });

  test('is told apart from who does not', async () => {
    expect(await names({ runs_out: 'true', sort: 'runs_out_at' })).toEqual(['used up', 'soon', 'later']);
    expect(await names({ runs_out: 'true', state: 'near' })).toEqual(['later']);
    expectInvalid(await call(here.services, listApiKeys, { query: { runs_out: 'false' } }));
  });

  test('runs out at the time that the forecast says', async () => {
    const keys = (await call(here.services, listApiKeys)).json;
    for (const { id, runs_out_at } of keys) {
      const [forecast] = (await call(here.services, forecastQuotas, { query: { api_key: id } })).json;
      expect(runs_out_at).toBe(forecast.runs_out_at);
    }
  });
});

describe('other orders and filters', () => {
  test('share and remainder of the quota', async () => {
    expect(await names({ sort: '-usage' })).toEqual(['used up', 'later', 'steady', 'soon', 'unused']);
    expect(await names({ sort: 'remaining' })).toEqual(['used up', 'later', 'steady', 'soon', 'unused']);
  });

  test('keys that were never used', async () => {
    const used = (await call(here.services, listApiKeys, { query: { q: 'steady' } })).json[0].id;
    await here.services.database.drizzle.insert(lastUses).values({ subject: `api_key:${used}`, at: here.clock.now });
    expect(await names({ never_used: 'true' })).not.toContain('steady');
    expect(await names({ never_used: 'true' })).toContain('unused');
    expect(await names({ sort: '-last_used_at' }, '1')).toHaveLength(5);
  });

  test('keys that expire soon; an expired key has no outlook', async () => {
    const inDays = (days: number) => new Date(here.clock.now + days * DAY).toISOString();
    await keyThat('expired', 999, 0, { expires_at: inDays(0.01) });
    await keyThat('ten days', 0, 0, { expires_at: inDays(10) });
    await keyThat('a year', 0, 0, { expires_at: inDays(365) });
    here.clock.advance(DAY / 2);
    expect(await names({ expires_within: '30' })).toEqual(['ten days']);
    expect((await names({ sort: 'expires_at' })).slice(0, 3)).toEqual(['expired', 'ten days', 'a year']);
    expect((await names({ sort: 'runs_out_at' })).at(-1)).toBe('expired');
    expectInvalid(await call(here.services, listApiKeys, { query: { expires_within: '0' } }));
  });
});
