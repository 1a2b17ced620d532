import { expect, it } from 'vitest';
import { streamAssessment } from '../../fixtures/assessment-stream';
import { axeFindings, signIn } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, signedIn, visitor } from '../../fixtures/browser-suite';
import { OWNER_EMAIL } from '../../fixtures/product';
import { readChanges } from '../../fixtures/read-changes';
import { until } from '../../fixtures/until';

const NAMES = ['alpha', 'beta', 'delta', 'gamma'];
const ids = new Map<string, string>();
const webhookIds: string[] = [];

async function prepare(): Promise<void> {
  for (const name of NAMES) {
    const made = await product.admin('POST', '/v1/admin/api-keys', { name, tier: 'free' });
    ids.set(name, ((await made.json()) as { id: string }).id);
  }
  for (const last of [1, 2, 3]) {
    const entry = { type: 'ip', identifier: `198.51.100.${last}`, reason: 'Load test' };
    await product.admin('POST', '/v1/admin/rate-limit/allowlist', entry);
  }
  const override = {
    class: 'read',
    type: 'ip',
    identifier: '192.0.2.1',
    limit: 5,
    window_seconds: 60,
    reason: 'Partner',
  };
  await product.admin('PUT', '/v1/admin/rate-limit/overrides', override);
  const grant = { requests: 100, until: new Date(Date.now() + 86_400_000).toISOString(), reason: 'Until Friday' };
  // Two that read alike.
  for (let n = 0; n < 2; n += 1)
    await product.admin('POST', '/v1/admin/grants', { api_key: ids.get('gamma'), ...grant });
  for (const name of ['one', 'two', 'three']) {
    await product.admin('POST', '/v1/admin/tokens', { name: `ci-${name}`, role: 'viewer' });
    const member = { email: `${name}@example.com`, role: 'viewer', password: 'correct horse battery staple' };
    await product.admin('POST', '/v1/admin/members', member);
    // Nothing is ever reached there (RFC 6761).
    const webhook = { name: `Team ${name}`, url: 'https://hooks.invalid/sluice' };
    const made = await product.admin('POST', '/v1/admin/webhooks', webhook);
    webhookIds.push(((await made.json()) as { id: string }).id);
  }
  for (let n = 0; n < 2; n += 1) await product.admin('POST', `/v1/admin/webhooks/${webhookIds[0]}/test`);
}
browserSuite({ prepare, signInAt: '/keys' });

const select = (name: string) => page.getByRole('checkbox', { name: `Select ${name}`, exact: true });
const listed = async <Row>(path: string): Promise<Row[]> => (await (await product.admin('GET', path)).json()) as Row[];
const bar = () => page.getByRole('region', { name: 'Selected rows' });

async function tiers(): Promise<string[]> {
  const keys = (await (await product.admin('GET', '/v1/admin/api-keys?sort=name')).json()) as { tier: string }[];
  return keys.map(({ tier }) => tier);
}

it('gives several keys another tier, chosen with Shift, which each can be taken back', async () => {
  await select('alpha').click();
  await select('delta').click({ modifiers: ['Shift'] });
  await bar().getByText('3 selected').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await bar().getByRole('button', { name: 'Change tier…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the tier of 3 keys' });
  await dialog.getByRole('listitem').first().waitFor();
  expect(await dialog.getByRole('list').getByRole('listitem').allTextContents()).toEqual(['alpha', 'beta', 'delta']);
  await dialog.getByLabel('Tier').click();
  await page.getByRole('option', { name: 'Business' }).click();
  await dialog.getByLabel('Reason').fill('Upgraded by sales');
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Change tier' }).click();
  await page.getByText('The tier of 3 keys is changed').waitFor();
  await bar().waitFor({ state: 'detached' });
  expect(await tiers()).toEqual(['business', 'business', 'business', 'free']);
  const [newest] = await readChanges(product);
  expect((await product.admin('POST', `/v1/admin/audit/${newest?.seq}/undo`)).status).toBe(200);
  expect(await tiers()).toEqual(['business', 'business', 'free', 'free']);
});

const changeTier = async (count: number, tier: string) => {
  await bar().getByRole('button', { name: 'Change tier…' }).click();
  const dialog = page.getByRole('dialog', { name: `Change the tier of ${count} keys` });
  await dialog.getByLabel('Tier').click();
  await page.getByRole('option', { name: tier }).click();
  await dialog.getByLabel('Reason').fill('Agreed with sales');
  await dialog.getByRole('button', { name: 'Change tier' }).click();
};
const toast = (text: string) => page.locator('[data-sonner-toast]', { hasText: text });

it('shows the results when all went well, and takes all of them back with one click', async () => {
  await page.reload();
  await select('delta').click();
  await select('gamma').click();
  await changeTier(2, 'Starter');
  await toast('The tier of 2 keys is changed').getByRole('button', { name: 'Show results' }).click();
  const results = page.getByRole('dialog', { name: 'The tier of 2 keys is changed' });
  expect(await results.getByRole('list', { name: 'Results' }).getByRole('listitem').count()).toBe(2);
  expect(await axeFindings(page)).toEqual([]);
  await results.getByRole('button', { name: 'Done' }).click();
  expect(await tiers()).toEqual(['business', 'business', 'starter', 'starter']);
  await select('delta').click();
  await select('gamma').click();
  await changeTier(2, 'Enterprise');
  await toast('The tier of 2 keys is changed').getByRole('button', { name: 'Undo all' }).click();
  await page.getByText('All changes were undone.').waitFor();
  expect(await tiers()).toEqual(['business', 'business', 'starter', 'starter']);
});

it('changes the end of the grants of a key, and takes that back', async () => {
  const grants = async () =>
    (await listed<{ id: string; until: string }>(`/v1/admin/grants?api_key=${ids.get('gamma')}`)).map(
      ({ id, until: end }) => `${id} ${end}`,
    );
  const before = (await grants()).sort();
  await page.goto(`/keys/${ids.get('gamma')}`);
  await page.getByRole('checkbox', { name: 'Select all grants shown' }).click();
  await bar().getByText('2 selected').waitFor();
  await bar().getByRole('button', { name: 'Change end…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the expiry of 2 grants' });
  await dialog.getByRole('radio', { name: 'In seven days' }).click();
  await dialog.getByLabel('Reason').fill('The campaign goes on');
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Change end' }).click();
  await toast('The end of 2 grants is changed').getByRole('button', { name: 'Undo all' }).waitFor();
  expect((await grants()).sort()).not.toEqual(before);
  await page.getByRole('button', { name: 'Undo all' }).click();
  await page.getByText('All changes were undone.').waitFor();
  expect((await grants()).sort()).toEqual(before);
});

it('takes back another end of one grant from its toast', async () => {
  await page.goto('/exceptions?kind=grant');
  await page.getByRole('button', { name: 'Actions for gamma' }).first().click();
  await page.getByRole('menuitem', { name: 'Change end…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the expiry of gamma' });
  await dialog.getByRole('radio', { name: 'In seven days' }).click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await toast('gamma ends').getByRole('button', { name: 'Undo' }).click();
  await page.getByText('All changes were undone.').waitFor();
});

it('says which were refused and why, and tries only those again', async () => {
  await page.goto('/keys');
  await page.getByRole('checkbox', { name: 'Select all API keys shown' }).click();
  await select('gamma').click();
  await bar().getByText('3 selected').waitFor();
  await bar().getByRole('button', { name: 'Revoke…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Revoke 3 keys?' });
  await dialog
    .getByRole('listitem')
    .filter({ hasText: /^alpha\S.*never used/ })
    .waitFor();
  await dialog.getByLabel('Reason').fill('The contracts have ended');
  // Somebody else was faster with one of them.
  await product.admin('DELETE', `/v1/admin/api-keys/${ids.get('beta')}`);
  await dialog.getByRole('button', { name: 'Revoke keys' }).click();
  const results = page.getByRole('dialog', { name: '1 of 3 keys refused' });
  await results.getByRole('listitem').filter({ hasText: 'beta' }).first().waitFor();
  expect(await results.getByRole('listitem').count()).toBe(3);
  expect(await axeFindings(page)).toEqual([]);
  await results.getByRole('button', { name: 'Try 1 again' }).click();
  await results.getByRole('button', { name: 'Try 1 again', disabled: false }).waitFor();
  await results.getByRole('button', { name: 'Done' }).click();
  expect(await tiers()).toEqual(['starter']);
});

it('removes exceptions of every kind at once', async () => {
  await page.goto('/exceptions');
  await page.getByRole('checkbox', { name: 'Select all Exceptions shown' }).click();
  await bar().getByText('6 selected').waitFor();
  await select('198.51.100.2, allowlist entry: no rate limit').click();
  await bar().getByRole('button', { name: 'Remove…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove 5 exceptions?' });
  await dialog.getByLabel('Reason').fill('Nobody needs them');
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('5 exceptions removed').waitFor();
  const left = (await (await product.admin('GET', '/v1/admin/exceptions')).json()) as { identifier: string }[];
  expect(left.map(({ identifier }) => identifier)).toEqual(['198.51.100.2']);
});

it('revokes admin tokens, by the keyboard alone', async () => {
  await page.goto('/settings');
  await select('ci-one').focus();
  await page.keyboard.press('Space');
  await select('ci-two').focus();
  await page.keyboard.press('Space');
  await bar().getByText('2 selected').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await bar().getByRole('button', { name: 'Revoke…' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Revoke 2 tokens?' });
  await dialog.getByText('It was never used.').nth(1).waitFor();
  await dialog.getByLabel('Reason').focus();
  await page.keyboard.type('The pipelines are gone');
  await dialog.getByRole('button', { name: 'Revoke tokens' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('2 tokens revoked').waitFor();
  await bar().waitFor({ state: 'detached' });
  expect((await listed<{ name: string }>('/v1/admin/tokens')).map(({ name }) => name)).toEqual(['ci-three']);
});

it('removes members, but never oneself', async () => {
  await page.goto('/settings?tab=members');
  await select('one@example.com').waitFor();
  expect(await select(OWNER_EMAIL).count()).toBe(0);
  await page.getByRole('checkbox', { name: 'Select all Members shown' }).click();
  await bar().getByText('3 selected').waitFor();
  await select('three@example.com').click();
  await bar().getByRole('button', { name: 'Remove…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove 2 members?' });
  await dialog.getByLabel('Reason').fill('They left');
  // Somebody else was faster with one of them.
  await product.admin('DELETE', '/v1/admin/members', { email: 'two@example.com' });
  await dialog.getByRole('button', { name: 'Remove members' }).click();
  const results = page.getByRole('dialog', { name: '1 of 2 members refused' });
  await results.getByRole('listitem').filter({ hasText: 'two@example.com' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await results.getByRole('button', { name: 'Done' }).click();
  const members = await listed<{ email: string }>('/v1/admin/members');
  expect(members.map(({ email }) => email)).toEqual([OWNER_EMAIL, 'three@example.com']);
});

it('sends deliveries of a webhook again, above their list', async () => {
  await page.goto('/settings?tab=alerts');
  await page.getByRole('button', { name: 'Actions for Team one' }).click();
  await page.getByRole('menuitem', { name: 'Deliveries…' }).click();
  const list = page.getByRole('dialog', { name: 'Deliveries to Team one' });
  await list.getByRole('checkbox', { name: 'Select all deliveries shown' }).click();
  await bar().getByText('2 selected').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await bar().getByRole('button', { name: 'Send again…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Send 2 deliveries again?' });
  await dialog.getByLabel('Reason').fill('The receiver was down');
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await page.getByText('2 deliveries sent again').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await bar().waitFor({ state: 'detached' });
  expect(await list.isVisible()).toBe(true);
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  expect(await listed('/v1/admin/audit?action=webhook.replay')).toHaveLength(2);
});

it('removes webhooks', async () => {
  await select('Team one').click();
  await select('Team two').click();
  await bar().getByRole('button', { name: 'Remove…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove 2 webhooks?' });
  await dialog.getByLabel('Reason').fill('Their receivers are gone');
  await dialog.getByRole('button', { name: 'Remove webhooks' }).click();
  await page.getByText('2 webhooks removed').waitFor();
  const webhooks = await listed<{ name: string }>('/v1/admin/webhooks');
  expect(webhooks.map(({ name }) => name)).toEqual(['Team three']);
});

it('takes back changes, those that can be', async () => {
  await page.goto('/audit');
  await page
    .getByRole('checkbox', { name: /^Select change \d+: / })
    .first()
    .waitFor();
  // What was undone by hand, and what cannot be.
  expect(await page.getByRole('checkbox', { name: /created the key alpha/ }).count()).toBe(0);
  const removals = await listed<{ seq: number }>('/v1/admin/audit?action=webhook.remove');
  for (const { seq } of removals)
    await page.getByRole('checkbox', { name: new RegExp(`^Select change ${seq}: `) }).click();
  await bar().getByText('2 selected').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await bar().getByRole('button', { name: 'Undo…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo 2 changes?' });
  await dialog.getByLabel('Reason').fill('They are needed after all');
  expect(await axeFindings(page)).toEqual([]);
  // Somebody else was faster with one of them.
  expect((await product.admin('POST', `/v1/admin/audit/${removals[0]?.seq}/undo`)).status).toBe(200);
  await dialog.getByRole('button', { name: 'Undo changes' }).click();
  const results = page.getByRole('dialog', { name: '1 of 2 changes refused' });
  await results.getByText(/It was already undone, by bootstrap/).waitFor();
  await results.getByRole('button', { name: 'Done' }).click();
  expect(await listed('/v1/admin/webhooks')).toHaveLength(3);
  await page.getByText('undid change').first().waitFor();
});

it('removes assessments', async () => {
  for (let n = 0; n < 3; n += 1) {
    const assessment = await streamAssessment(product, { name: `Night ${n}`, target: { lab: { off: [] } } });
    assessment.disconnect();
    await assessment.ended;
  }
  await page.goto('/oauth/assessments');
  const night = (n: number) => page.getByRole('checkbox', { name: new RegExp(`^Select Night ${n}, `) });
  await night(2).click();
  await night(1).click({ modifiers: ['Shift'] });
  await bar().getByText('2 selected').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await bar().getByRole('button', { name: 'Remove…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Remove 2 assessments?' });
  await dialog.getByLabel('Reason').fill('Only the first is kept');
  await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
  await page.getByText('Their reports are deleted for good.').waitFor();
  await until(async () => (await page.getByRole('checkbox', { name: /^Select Night/ }).count()) === 1);
  const left = await listed<{ name: string }>('/v1/oauth/assessments');
  expect(left.map(({ name }) => name)).toEqual(['Night 0']);
});

const PHONE_LISTS = [
  ['/allowlist', 'Select 198.51.100.2'],
  ['/settings', 'Select ci-three'],
  ['/settings?tab=members', 'Select three@example.com'],
  ['/settings?tab=alerts', 'Select Team three'],
  ['/audit', /^Select change/],
  ['/oauth/assessments', /^Select Night 0/],
] as const;

it.each(PHONE_LISTS)('fits a phone at %s', async (path, name) => {
  const phone = await signedIn({ viewport: { width: 390, height: 844 } });
  await phone.page.goto(path);
  await phone.page.getByRole('checkbox', { name }).first().click();
  await phone.page.getByRole('region', { name: 'Selected rows' }).getByText('1 selected').waitFor();
  expect(await axeFindings(phone.page)).toEqual([]);
  expect(await phone.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  expect(phone.complaints).toEqual([]);
  expect(complaints).toEqual([]);
});

it("ends sessions of one's own, but not the one that asks", async () => {
  for (let sessions = 0; sessions < 2; sessions += 1) await signIn((await visitor()).page);
  await page.goto('/settings?tab=account');
  await page.getByRole('checkbox', { name: 'Select all sessions shown' }).click();
  expect(await axeFindings(page)).toEqual([]);
  await bar().getByRole('button', { name: 'End…' }).click();
  const dialog = page.getByRole('dialog', { name: /^End \d+ sessions\?$/ });
  expect(await dialog.getByLabel('Reason').count()).toBe(0);
  await dialog.getByRole('button', { name: 'End sessions' }).click();
  await page.getByText(/^\d+ sessions ended$/).waitFor();
  await expect.poll(() => page.getByRole('list', { name: 'Sessions' }).getByRole('listitem').count()).toBe(1);
  expect(complaints).toEqual([]);
});
