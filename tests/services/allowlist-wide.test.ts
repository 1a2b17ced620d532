import { describe, expect, it, test } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { listAllowlist } from '@/lib/admin/allowlist/list';

import { addGrant } from '@/lib/admin/grants/add';
import { createApiKey } from '@/lib/admin/keys/create';
import { putOverride } from '@/lib/admin/overrides/add';
import { listOverrides } from '@/lib/admin/overrides/list';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { applyState } from '@/lib/admin/state/apply';
import { planState } from '@/lib/admin/state/plan';
import { isConfirmed } from '@/lib/contract/fields/wide-range';
import { call } from '@/tests/fixtures/call';
import { decisionEvent } from '@/tests/fixtures/decision-event';
import { TEST_START } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const entry = (identifier: string, more: object = {}) => ({ type: 'ip', identifier, reason: 'Ticket', ...more });
const add = (identifier: string, more: object = {}) =>
  call(here.services, addAllowlistEntry, { body: entry(identifier, more) });
const allowEveryone = () => call(here.services, patchPolicies, { body: { exceptions: { allow_everyone: true } } });
const effect = async (operation: typeof addAllowlistEntry | typeof putOverride | typeof addGrant, body: object) => {
  const { json, text, status } = await call(here.services, operation, { body, query: { dry_run: 'true' } });
  expect(status, text).toBe(200);
  return json.changes[0].effect as string;
};

/** Sends so many requests ten minutes ago. */
async function sent(ip: string, requests: number, change: object = {}) {
  for (let n = 0; n < requests; n += 1)
    here.services.statistics.record(decisionEvent(TEST_START - 600_000, { ip, ...change }));
  for (let n = 0; n < 5; n += 1) await here.services.statistics.flush();
}

describe('a very wide range', () => {
  test.each([
    ['10.0.0.0/16', '10.0.0.0/16'],
    ['10.1.2.3/8', '10.0.0.0/8'],
    ['::ffff:10.0.0.0/104', '10.0.0.0/8'],
    ['2001:db8::/32', '2001:db8::/32'],
  ])('%s is accepted over the API, and has to be typed once more in a form', async (given, canonical) => {
    expect((await add(given)).json.identifier).toBe(canonical);
    for (const other of ['', 'yes', '10.0.0.0/15', '203.0.113.0/24'])
      expect(isConfirmed('ip', given, other)).toBe(false);
    for (const spelling of [given, canonical, ` ${given} `]) expect(isConfirmed('ip', given, spelling)).toBe(true);
  });

  test.each(['10.0.0.0/17', '2001:db8::/33', '203.0.113.7', '::1', 'nonsense'])('%s needs none', (identifier) => {
    expect(isConfirmed('ip', identifier, '')).toBe(true);
  });
});

describe('a range of every address', () => {
  test.each(['0.0.0.0/0', '203.0.113.7/0', '::/0', '::ffff:0:0/96', '2001:db8::1/0'])(
    '%s is refused unless the policies allow it',
    async (identifier) => {
      const refused = await add(identifier);
      expect([refused.status, refused.json.details[0].path]).toEqual([400, 'identifier']);
      expect(refused.json.error_description).toContain('exceptions.allow_everyone');
      const document = { version: 1, allowlist: [entry(identifier)] };
      for (const operation of [planState, applyState])
        expect((await call(here.services, operation, { body: document })).json.details[0].path).toBe(
          'allowlist.0.identifier',
        );
      const allowing = { ...document, policies: { exceptions: { allow_everyone: true } } };
      expect((await call(here.services, planState, { body: allowing })).status).toBe(200);
      await allowEveryone();
      expect((await add(identifier)).status).toBe(200);
    },
  );
});

describe('the preview of an entry', () => {
  it('says who would have passed in the last hour, and how many of it were refused', async () => {
    await sent('203.0.113.7', 30);
    await sent('203.0.113.9', 20, { outcome: 'refused', reason: 'rate_limit_exceeded' });
    await sent('198.51.100.1', 5);
    expect(await effect(addAllowlistEntry, entry('203.0.113.0/24'))).toBe(
      "It covers 256 addresses. Of the last hour's requests, 50 would pass without a limit; 20 of them were refused: 203.0.113.7 and 203.0.113.9.",
    );
    expect(await effect(addAllowlistEntry, entry('198.51.100.1'))).toBe(
      "Of the last hour's requests, 5 would pass without a limit; 0 of them were refused.",
    );
    expect(await effect(addAllowlistEntry, entry('192.0.2.1'))).toBe(
      'In the last hour no limited request came from it.',
    );
    const plan = await call(here.services, planState, { body: { version: 1, allowlist: [entry('203.0.113.0/24')] } });
    expect(plan.json.changes[0].effect).toContain('50 would pass');
  });

  it('names the entries that it overlaps, and so do the lists', async () => {
    await add('10.0.0.0/17');
    await add('10.0.3.0/24');
    await add('10.0.4.0/24');
    expect(await effect(addAllowlistEntry, entry('10.0.3.7'))).toContain('It is within the entry 10.0.3.0/24');
    expect(await effect(addAllowlistEntry, entry('10.0.0.0/18'))).toContain(
      'It is within the entry 10.0.0.0/17, which lets the same requests pass. It includes 2 narrower entries: 10.0.',
    );
    const { json } = await call(here.services, listAllowlist, { query: { sort: 'identifier' } });
    expect(
      json.map(({ identifier, covered_by, covers }: Record<string, unknown>) => [identifier, covered_by, covers]),
    ).toEqual([
      ['10.0.0.0/17', undefined, 2],
      ['10.0.3.0/24', '10.0.0.0/17', undefined],
      ['10.0.4.0/24', '10.0.0.0/17', undefined],
    ]);
  });

  it('names those of an override too', async () => {
    const limit = (identifier: string) => ({ ...entry(identifier), class: 'read', limit: 9, window_seconds: 60 });
    await call(here.services, putOverride, { body: limit('10.0.0.0/17') });
    await call(here.services, putOverride, { body: limit('10.0.3.7') });
    await add('10.0.3.0/25');
    expect(await effect(putOverride, limit('10.0.3.0/24'))).toContain(
      'It takes precedence over the override of 10.0.0.0/17. 1 narrower override takes precedence over it: 10.0.3.7.',
    );
    const { json } = await call(here.services, listOverrides, { query: { sort: 'identifier' } });
    expect(json).toMatchObject([{ covers: 1 }, { within: '10.0.0.0/17', covered_by: '10.0.3.0/25' }]);
  });

  it('says of a grant what it lets pass', async () => {
    const { json: key } = await call(here.services, createApiKey, { body: { name: 'Reports', tier: 'free' } });
    const until = new Date(TEST_START + 86_400_000).toISOString();
    const grant = { api_key: key.id, requests: 500, until, reason: 'Campaign' };
    expect(await effect(addGrant, grant)).toBe(
      'Its quota refused no request in the last hour. It has 1,500 instead of 1,000 requests left.',
    );
  });
});
