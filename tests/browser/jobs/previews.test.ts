import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import { expect, it } from 'vitest';
import { decisions, demand, lastUses, rollups } from '@/drizzle/schema';
import { findStart } from '@/lib/statistics/step';
import { MINUTE } from '@/lib/units';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product } from '../../fixtures/browser-suite';

const NAMES = ['shop', 'partner'] as const;
const NOISY = '203.0.113.66';

async function made(path: string, body: unknown, method = 'POST') {
  const response = await product.admin(method, path, body);
  expect(response.status, path).toBeLessThan(300);
  return (await response.json()) as { id: string; secret: string };
}

/** Rules of every kind, and what was asked ten minutes ago. */
async function prepare(): Promise<void> {
  const keys = await Promise.all(NAMES.map((name) => made('/v1/admin/api-keys', { name, tier: 'starter' })));
  await made('/v1/admin/policies', { tiers: { free: 5 }, classes: { read: { ip: { limit: 70 } } } }, 'PATCH');
  await made('/v1/admin/tokens', { name: 'pipeline', role: 'operator' });
  const entry = { type: 'ip', identifier: '198.51.100.0/24', reason: 'Office' };
  await made('/v1/admin/rate-limit/allowlist', entry);
  const override = { type: 'ip', identifier: '192.0.2.0/24', class: 'read', limit: 200, window_seconds: 60 };
  await made('/v1/admin/rate-limit/overrides', { ...override, reason: 'Crawler' }, 'PUT');
  const checks = Array.from({ length: 8 }, () => ({ class: 'auth', api_key: keys[0]?.secret }));
  await product.admin('POST', '/v1/check/batch', checks);
  const [listed] = (await (await product.admin('GET', '/v1/admin/rate-limit/allowlist')).json()) as { id: string }[];

  const database = createClient({ url: `file:${join(product.directory, 'sluice.db')}` });
  const start = findStart(Date.now() - 10 * MINUTE, MINUTE);
  const counts = (requests: number) => ({ p0: requests, p1: 0, p2: 0, p3: 0, p4: 0, p5: 0, refused: 0 });
  const drizzled = drizzle(database);
  const read = { start, subject: 'ip', class: 'read' } as const;
  await drizzled.insert(demand).values([
    { ...read, identifier: NOISY, ...counts(140) },
    { ...read, identifier: '192.0.2.7', ...counts(110) },
    { start, subject: 'client', class: 'all', identifier: keys[1]?.id ?? '', ...counts(60) },
  ]);
  await drizzled.insert(lastUses).values({ subject: `api_key:${keys[1]?.id}`, at: start });
  await drizzled.insert(rollups).values({ step: 60, start, class: 'read', outcome: 'allowed', reason: '', count: 250 });
  const passed = { at: start, outcome: 'bypassed', class: 'auth', ip: '198.51.100.7' } as const;
  const refused = { at: start, outcome: 'refused', class: 'write', method: 'POST', path: '/api/exports' } as const;
  await drizzled
    .insert(decisions)
    .values([
      ...Array.from({ length: 12 }, () => ({ ...passed, source: 'allowlist' as const, sourceId: listed?.id ?? '' })),
      ...Array.from({ length: 35 }, () => ({ ...refused, ip: NOISY })),
    ]);
  database.close();
}
browserSuite({ prepare, signInAt: '/keys', context: { viewport: { width: 1440, height: 900 } } });

const act = async (row: string, action: string | RegExp) => {
  await page.getByRole('button', { name: `Actions for ${row}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
};
/** Waits for a sentence in the open dialog, then closes it. */
async function says(sentence: string | RegExp): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByText(sentence).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
}

it('another tier says how far over its limit a key is, and until when it is refused', async () => {
  await act('shop', 'Change tier…');
  await page.getByRole('combobox', { name: 'Tier' }).click();
  await page.getByRole('option', { name: /Free/ }).click();
  await says(/^3 requests over the new limit: refused until 1 [A-Z][a-z]{2,3}\.$/);
});

it('the revocation of a key says what it was used for', async () => {
  await act('partner', 'Revoke…');
  await says(/^Requests with it get 401: 60 units in the last hour; it was last used at \d+ \w+ 20\d\d, \d\d:\d\d /);
});

it('the removal of an allowlist entry says how many the limits refuse', async () => {
  await page.goto(`${product.origin}/allowlist`);
  await act('198.51.100.0/24', /^Remove/);
  await says(
    'At least 12 requests of the last hour bypassed limits by it; the limits refuse at least 2 of them: 198.51.100.7.',
  );
});

it('an override, and its removal, say how many each limit refuses of those that it is for', async () => {
  await page.goto(`${product.origin}/limits/overrides`);
  await act('192.0.2.0/24', /^Edit/);
  await page.getByRole('dialog').getByLabel('Requests').fill('50');
  await says('Refuses 60 instead of 0 of 110 units in the last hour: 192.0.2.7.');
  await act('192.0.2.0/24', /^Remove/);
  await says('Refuses 40 instead of 0 of 110 units in the last hour: 192.0.2.7.');
});

it('policies say how many more are refused, and whom', async () => {
  await page.goto(`${product.origin}/limits`);
  await page.getByLabel('Read, per address, requests').fill('40');
  const unsaved = page.getByRole('list', { name: 'Unsaved changes' });
  await unsaved.getByText('100 refused instead of 70 (of 140 units)').waitFor();
  await unsaved.getByRole('button', { name: NOISY }).waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
});

it('route rules say how many of the log their limits refuse, and whom', async () => {
  await page.goto(`${product.origin}/limits?tab=routes`);
  await page.getByRole('button', { name: 'Add rule' }).click();
  await page.getByLabel('Path of rule 1').fill('/api/exports');
  await page
    .getByText(/Their limits then refuse at least 5 units of these: 203\.0\.113\.66; allowed ones are not in the log/)
    .waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
});

it('an allowlist entry says who would pass', async () => {
  await page.goto('/allowlist');
  await page.getByRole('button', { name: 'Add entry' }).first().click();
  await page.getByLabel('Address or range').fill('203.0.113.0/24');
  await says(
    /^It covers 256 addresses\. Of the last hour's requests, 140 would pass without a limit; 0 of them were refused: 203\.0\.113\.66\./,
  );
});

it('a new override says whom it would refuse', async () => {
  await page.goto('/limits/overrides');
  await page.getByRole('button', { name: 'Add override' }).first().click();
  await page.getByLabel('Address or range').fill(NOISY);
  await page.getByLabel('Requests', { exact: true }).fill('50');
  await says('Refuses 90 instead of 70 of 140 units in the last hour: 203.0.113.66.');
});

/** What the dialog of an override reads the limit in force from. */
const READS_OF_LIMITS = /\/v1\/admin\/(?:policies|rate-limit\/counters)/;

it('a new override takes the window of a limit that is read after the number was typed', async () => {
  let release = () => {};
  const typed = new Promise<void>((done) => {
    release = done;
  });
  await page.route(READS_OF_LIMITS, async (route) => {
    await typed;
    await route.continue();
  });
  await page.goto('/limits/overrides');
  await page.getByRole('button', { name: 'Add override' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address or range').fill(NOISY);
  await dialog.getByLabel('Requests', { exact: true }).fill('50');
  release();
  await says('Refuses 90 instead of 70 of 140 units in the last hour: 203.0.113.66.');
  await page.unroute(READS_OF_LIMITS);
});

it('a grant says what the quota refused and what is left', async () => {
  await page.goto('/keys');
  await act('partner', 'Grant requests…');
  await page.getByRole('dialog').getByLabel('Requests', { exact: true }).fill('500');
  await says(/^Its quota refused no request in the last hour\. It has 10,500 instead of 10,000 requests left\.$/);
});

it('the revocation of a token says that nobody uses it', async () => {
  await page.goto(`${product.origin}/settings?tab=tokens`);
  await page.getByRole('button', { name: 'Revoke pipeline' }).click();
  await says('It was never used.');
  expect(complaints).toEqual([]);
});
