import { expect, it } from 'vitest';
import { addAllowlistEntry } from '@/lib/admin/allowlist/add';
import { addGrant } from '@/lib/admin/grants/add';
import { createApiKey } from '@/lib/admin/keys/create';
import { putOverride } from '@/lib/admin/overrides/add';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { applyState } from '@/lib/admin/state/apply';
import { runBatch } from '@/lib/api/operations';
import { call } from '@/tests/fixtures/call';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const DAY = 86_400_000;
const later = (days: number) => new Date(here.clock.now + days * DAY).toISOString();
const longest = (longest_days: number | null) =>
  call(here.services, patchPolicies, { body: { exceptions: { longest_days } } });
const SENTENCE = /must lie at most 30 days ahead, as the policies say/;

it('refuses exceptions that last longer than the policies let them, in every way that makes one', async () => {
  const { json: key } = await call(here.services, createApiKey, { body: { name: 'Reports', tier: 'free' } });
  const allow = (expires_at?: string | null) =>
    call(here.services, addAllowlistEntry, { body: { type: 'ip', identifier: '10.0.0.7', reason: 'r', expires_at } });
  const override = (expires_at: string | null) =>
    call(here.services, putOverride, {
      body: {
        type: 'ip',
        identifier: '10.0.0.8',
        class: 'read',
        limit: 5,
        window_seconds: 60,
        reason: 'r',
        expires_at,
      },
    });
  const grant = (until: string) =>
    call(here.services, addGrant, { body: { api_key: key.id, requests: 5, until, reason: 'r' } });
  const extended = async (operation: string, item: object) =>
    (await call(here.services, runBatch, { body: { operation, items: [item] } })).json.results[0];
  expect((await allow()).status).toBe(200);

  expect((await longest(30)).json.exceptions).toEqual({ longest_days: 30, allow_everyone: false });
  for (const refused of [await allow(), await allow(null), await allow(later(31)), await override(later(30.001))]) {
    expect([refused.status, refused.json.details[0].path]).toEqual([400, 'expires_at']);
    expect(refused.json.error_description).toMatch(SENTENCE);
  }
  expect((await grant(later(31))).json.details[0].path).toBe('until');
  const target = { type: 'ip', identifier: '10.0.0.7' };
  expect((await extended('extendAllowlistEntry', { ...target, expires_at: later(40) })).status).toBe(400);

  for (const taken of [await allow(later(30)), await override(later(1)), await grant(later(30))]) {
    expect([200, 201]).toContain(taken.status);
  }
  expect((await longest(null)).json.exceptions).toEqual({ longest_days: null, allow_everyone: false });
  expect((await allow(null)).status).toBe(200);
});

it('leaves what is there, and lets a state document name it as it is', async () => {
  const entry = { type: 'ip', identifier: '10.0.0.7', reason: 'Since years' };
  await call(here.services, addAllowlistEntry, { body: entry });
  await longest(7);
  const apply = (allowlist: object[], more: object = {}) =>
    call(here.services, applyState, { body: { version: 1, allowlist, ...more } });
  expect((await apply([entry])).status).toBe(200);
  const changed = await apply([{ ...entry, reason: 'Another' }]);
  expect([changed.status, changed.json.details[0].path]).toEqual([400, 'allowlist.0.expires_at']);
  // What the document itself says of it counts.
  const both = await apply([{ ...entry, reason: 'Another' }], { policies: { exceptions: { longest_days: null } } });
  expect(both.status).toBe(200);
});
