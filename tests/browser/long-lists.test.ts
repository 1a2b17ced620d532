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
}
browserSuite({ prepare, context: { acceptDownloads: true }, signInAt: '/allowlist?sort=identifier' });

/** Of the first row, after the checkbox. */
const firstCell = () => page.getByRole('table').getByRole('row').nth(1).getByRole('cell').nth(1);

describe('a list that is too long for the browser', () => {
  it('is sorted by the server, over all of its rows, and the address says how', async () => {
    await firstCell().getByText('user-0000').waitFor();
    await page.getByRole('columnheader', { name: 'Identifier' }).getByRole('button').click();
    await firstCell().getByText('user-1049').waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-identifier');
    expect(await axeFindings(page)).toEqual([]);
  });

  it('continues where it ended', async () => {
    const rows = await page.getByRole('row').count();
    await page.getByRole('button', { name: 'Load more' }).click();
    await page.waitForFunction((before) => document.querySelectorAll('tr').length > before, rows);
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
