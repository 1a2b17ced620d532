import { describe, expect, it } from 'vitest';
import { axeFindings } from '../fixtures/browser';
import { browserSuite, complaints, page, product } from '../fixtures/browser-suite';

/** More than a browser sorts by itself. */
const ENTRIES = 1_050;

async function prepare(): Promise<void> {
  for (let n = 0; n < ENTRIES; n += 1) {
    await product.admin('POST', '/v1/admin/rate-limit/allowlist', {
      type: 'user_id',
      identifier: `user-${String((n * 389) % ENTRIES).padStart(4, '0')}`,
      reason: n === 7 ? '=HYPERLINK("x")' : 'partner',
    });
  }
  for (const name of ['key-10', 'key-2', 'Key-1', 'key-1b'])
    await product.admin('POST', '/v1/admin/api-keys', { name, tier: 'free' });
}
browserSuite({
  prepare,
  context: { acceptDownloads: true, viewport: { width: 1440, height: 900 } },
  signInAt: '/allowlist?sort=identifier',
});

/** Rows without the head. */
const countRows = async () => (await page.getByRole('row').count()) - 1;
const row = (name: string) => page.getByRole('row').filter({ hasText: name });
/** Of the first row, after the checkbox. */
const firstCell = () => page.getByRole('table').getByRole('row').nth(1).getByRole('cell').nth(1);

it('names are in natural order, up and down', async () => {
  const names = () => page.getByRole('table').getByRole('row').getByRole('link', { name: /^key-/i }).allTextContents();
  await page.goto('/keys');
  await expect.poll(names).toEqual(['Key-1', 'key-1b', 'key-2', 'key-10']);
  await page.getByRole('columnheader', { name: 'Name' }).getByRole('button').click();
  await expect.poll(names).toEqual(['key-10', 'key-2', 'key-1b', 'Key-1']);
  await page.goto('/allowlist?sort=identifier');
});

describe('a list that is too long for the browser', () => {
  it('is sorted by the server, over all of its rows, and the address says how', async () => {
    await firstCell().getByText('user-0000').waitFor();
    await page.getByRole('columnheader', { name: 'Identifier' }).getByRole('button').click();
    await firstCell().getByText('user-1049').waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-identifier');
    expect(await axeFindings(page)).toEqual([]);
  });

  it('continues where it ended, and says how many rows there are', async () => {
    await page.getByText('The first 100 of 1,050', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('The first 600 of 1,050', { exact: true }).waitFor();
    expect(await countRows()).toBe(600);
    await page.waitForURL((url) => url.searchParams.get('rows') === '600');
  });

  it('keeps its head in sight while it scrolls', async () => {
    const head = page.getByRole('columnheader', { name: 'Identifier' });
    await row('user-0700').scrollIntoViewIfNeeded();
    expect(await page.evaluate(() => scrollY)).toBeGreaterThan(5_000);
    const seen = await head.evaluate((element) => {
      const { top, left, height, width } = element.getBoundingClientRect();
      return { top, isOnTop: element.contains(document.elementFromPoint(left + width / 2, top + height / 2)) };
    });
    expect(seen).toEqual({ top: 0, isOnTop: true });
    const { y } = (await row('user-0700').boundingBox())!;
    expect(y).toBeGreaterThanOrEqual((await head.boundingBox())!.height);
  });

  it('is at the same place after a row was opened and left', async () => {
    const placeOf = async () => Math.round((await row('user-0700').boundingBox())?.y ?? Number.NaN);
    const before = await placeOf();
    await row('user-0700').getByRole('link').first().click();
    await page.getByRole('heading', { level: 1, name: 'Inspector' }).waitFor();
    await page.goBack();
    await row('user-0700').waitFor();
    await expect.poll(placeOf).toBe(before);
    expect(await countRows()).toBe(600);
  });

  it('shows as many rows after a reload, but at most 1,000', async () => {
    await page.reload();
    await page.getByText('The first 600 of 1,050', { exact: true }).waitFor();
    expect(await countRows()).toBe(600);
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.getByText('1,050 total', { exact: true }).waitFor();
    await page.waitForURL((url) => url.searchParams.get('rows') === '1100');
    await page.reload();
    await page.getByText('The first 1,000 of 1,050', { exact: true }).waitFor();
    expect(await countRows()).toBe(1_000);
    await firstCell().getByText('user-1049').waitFor();
    await page.goto('/allowlist?sort=-identifier');
  });

  it('is searched by the server', async () => {
    await page.getByRole('searchbox').fill('user-0777');
    await firstCell().getByText('user-0777').waitFor();
    await page.getByText('1 total').waitFor();
    await page.getByRole('searchbox').fill('');
    await firstCell().getByText('user-1049').waitFor();
  });

  it('is exported whole, and no cell is a formula', async () => {
    await page.getByRole('button', { name: 'Export' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ]);
    const chunks: Buffer[] = [];
    for await (const chunk of await download.createReadStream()) chunks.push(Buffer.from(chunk));
    const lines = Buffer.concat(chunks).toString('utf8').trimEnd().split('\r\n');
    expect(lines).toHaveLength(ENTRIES + 1);
    expect(lines.filter((line) => line.includes('HYPERLINK'))[0]).toContain(`"'=HYPERLINK(""x"")"`);
    expect(download.suggestedFilename()).toBe('allowlist.csv');
  });

  it('loses a row when it is removed, and gets it back', async () => {
    await page.getByRole('button', { name: 'Actions for user-1049' }).click();
    await page.getByRole('menuitem', { name: /Remove/ }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The migration is over');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    // The toast stays while the pointer is on it, however long the list takes.
    await page.getByRole('button', { name: 'Undo' }).hover();
    await firstCell().getByText('user-1048').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await firstCell().getByText('user-1049').waitFor();
  });

  it('leaves the console silent', () => {
    expect(complaints).toEqual([]);
  });
});
