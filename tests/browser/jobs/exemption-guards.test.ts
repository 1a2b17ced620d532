import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, product, QUIET, signedIn } from '../../fixtures/browser-suite';
import { expectGoodLooks } from '../../fixtures/looks';

const ALLOWLIST = '/v1/admin/rate-limit/allowlist';

browserSuite({
  prepare: async () => {
    await product.admin('POST', ALLOWLIST, { type: 'ip', identifier: '192.0.2.7', reason: 'Office' });
  },
  signInAt: QUIET,
});

const entries = async () =>
  ((await (await product.admin('GET', ALLOWLIST)).json()) as { identifier: string }[]).map((entry) => entry.identifier);
const dialog = (page: Page) => page.getByRole('dialog').last();

async function openNewEntry(page: Page, identifier: string): Promise<void> {
  await page.goto('/allowlist');
  await page.getByRole('button', { name: 'Add entry' }).first().click();
  await page.getByLabel('Address or range').fill(identifier);
}

describe('a preview', () => {
  it('says that it loads, and its answer moves no button', async () => {
    const { page, complaints } = await signedIn({ viewport: { width: 1440, height: 900 } });
    const held: (() => void)[] = [];
    await page.route(/dry_run=true/, async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.continue();
    });
    await openNewEntry(page, '203.0.113.7');
    await dialog(page).getByText('Reading the traffic of the last hour…').waitFor();
    await expect.poll(() => held.length).toBe(1);
    const place = () => dialog(page).getByRole('button', { name: 'Add', exact: true }).boundingBox();
    const before = await place();
    await expectGoodLooks(page);
    await expect.poll(place).toEqual(before);
    held.pop()?.();
    await dialog(page).getByText('In the last hour no limited request came from it.').waitFor();
    expect(await place()).toEqual(before);
    // What is typed next has another effect, so the former one is no longer shown.
    await page.getByLabel('Address or range').fill('203.0.113.8');
    await dialog(page).getByText('Reading the traffic of the last hour…').waitFor();
    expect(await dialog(page).getByText('In the last hour no limited').isVisible()).toBe(false);
    expect(await place()).toEqual(before);
    await expect.poll(() => held.length).toBe(1);
    held.pop()?.();
    await dialog(page).getByText('In the last hour no limited request came from it.').waitFor();
    expect(complaints).toEqual([]);
  });

  it.each([
    ['the server fails', 500, 'The server has a problem. The disk is full.'],
    ['the server refuses', 400, 'The request was refused. Too wide.'],
    ['no answer comes', null, 'No response from the server. Check your connection, then try again.'],
  ])('says that the effect is unknown if %s, and why', async (_, status, reason) => {
    const { page } = await signedIn();
    const body = { error: 'failed', error_description: status === 500 ? 'The disk is full.' : 'Too wide.' };
    await page.route(/dry_run=true/, (route) =>
      status === null ? route.abort() : route.fulfill({ status, json: body }),
    );
    await openNewEntry(page, '203.0.113.7');
    await dialog(page).getByText('The effect is unknown').waitFor();
    await dialog(page).getByText(reason).waitFor();
    await expectGoodLooks(page);
    await page.unroute(/dry_run=true/);
    // Where no answer came, the page asks again by itself once the server is there.
    if (status !== null) await dialog(page).getByRole('button', { name: 'Try again' }).click();
    await dialog(page).getByText('In the last hour no limited request came from it.').waitFor();
    expect(await dialog(page).getByText('The effect is unknown').count()).toBe(0);
  });

  it('of several rows says so, too', async () => {
    const { page } = await signedIn();
    await page.goto('/allowlist');
    await page.route(/dry_run=true/, (route) =>
      route.fulfill({ status: 500, json: { error: 'failed', error_description: 'The disk is full.' } }),
    );
    await page.getByRole('checkbox', { name: 'Select 192.0.2.7' }).click();
    await page.getByRole('region', { name: 'Selected rows' }).getByRole('button', { name: 'Remove…' }).click();
    await dialog(page).getByText('The effect is unknown').waitFor();
    await dialog(page).getByText('The server has a problem. The disk is full.').waitFor();
    await expectGoodLooks(page);
  });
});

const WIDE = [
  ['10.1.2.3/16', '10.1.0.0/16', '10.1.0.0/17', '65,536 addresses'],
  ['2001:DB8::/32', '2001:db8::/32', '2001:db8::/33', '4,294,967,296 /64 networks'],
] as const;

describe('a very wide range', () => {
  it.each(WIDE)('%s is allowed only after it was typed once more', async (typed, range, narrower, size) => {
    const { page, complaints } = await signedIn();
    await openNewEntry(page, narrower);
    const confirm = dialog(page).getByLabel(/^Type .+ to confirm$/);
    await dialog(page)
      .getByText(/In the last hour no limited request came from there/)
      .waitFor();
    expect(await confirm.count()).toBe(0);
    await page.getByLabel('Address or range').fill(typed);
    await dialog(page).getByLabel(`Type ${range} to confirm`).waitFor();
    await dialog(page).getByText(`It covers ${size}.`, { exact: true }).waitFor();
    await dialog(page).getByLabel('Reason').fill('The data centre moves');
    const add = dialog(page).getByRole('button', { name: 'Add', exact: true });
    for (const wrong of ['', 'yes', narrower]) {
      await confirm.fill(wrong);
      await add.click();
      await dialog(page).getByText('Type the range once more.').waitFor();
    }
    expect(await axeFindings(page)).toEqual([]);
    expect(await entries()).not.toContain(range);
    await confirm.fill(typed);
    await add.click();
    await page.getByText(`${range} bypasses rate limiting`).waitFor();
    expect(await entries()).toContain(range);
    expect(complaints).toEqual([]);
  });

  it.each(WIDE)('%s is overridden only after it was typed once more', async (typed, range) => {
    const { page } = await signedIn();
    await page.goto('/limits/overrides');
    await page.getByRole('button', { name: 'Add override' }).first().click();
    await page.getByLabel('Address or range').fill(typed);
    await dialog(page).getByLabel('Requests', { exact: true }).fill('50');
    await dialog(page).getByLabel('Reason').fill('The data centre moves');
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await dialog(page).getByText('Type the range once more.').waitFor();
    await expectGoodLooks(page);
    await dialog(page).getByLabel(`Type ${range} to confirm`).fill(range);
    await dialog(page).getByRole('button', { name: 'Save' }).click();
    await page.getByText(`The Read limit of ${range} is overridden`).waitFor();
  });

  it('of every address is refused unless the policies allow it, which the preview says at once', async () => {
    const { page } = await signedIn();
    await openNewEntry(page, '0.0.0.0/0');
    await dialog(page).getByText('The effect is unknown').waitFor();
    await dialog(page)
      .getByText(/exceptions\.allow_everyone/)
      .waitFor();
    expect(await entries()).not.toContain('0.0.0.0/0');
  });
});
