import { beforeAll, describe, expect, it } from 'vitest';
import { axeFindings } from '../fixtures/browser';
import { browserSuite, complaints, page, product, visitor } from '../fixtures/browser-suite';
import { until } from '../fixtures/until';

browserSuite({ signInAt: '/settings' });
beforeAll(() => page.goto('/docs'));

describe('the API reference', () => {
  it('finds an operation by its words, with the keyboard alone', async () => {
    const search = page.getByRole('combobox', { name: 'Search operations and fields' });
    // A key that is pressed before the page has come to life is lost.
    await until(async () => {
      await page.keyboard.press('/');
      return search.evaluate((element) => element === document.activeElement).catch(() => false);
    });
    await page.keyboard.type('rotate secret');
    await page.getByRole('option', { name: /Rotate the secret of an API key/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/api-keys#rotateApiKey');
    await page.getByRole('heading', { level: 2, name: 'Rotate the secret of an API key' }).waitFor();
  });

  it('finds operations by the name of a field', async () => {
    await page.getByRole('combobox', { name: 'Search operations and fields' }).fill('last_used_at');
    await page.getByRole('option', { name: /List API keys/ }).waitFor();
    await page.keyboard.press('Escape');
  });

  it('sends a read with the session of the reader', async () => {
    await product.admin('POST', '/v1/admin/api-keys', { name: 'tried out', tier: 'free' });
    const operation = page.locator('#listApiKeys');
    await operation.getByRole('button', { name: 'Try it' }).click();
    await operation.getByLabel('q', { exact: true }).fill('tried');
    await operation.getByRole('button', { name: 'Send', exact: true }).click();
    await operation.getByText('"name": "tried out"').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('asks before it sends a change', async () => {
    const operation = page.locator('#createApiKey');
    await operation.getByRole('button', { name: 'Try it' }).click();
    await operation.getByRole('button', { name: 'Send…' }).click();
    await operation.getByText('Send POST to this installation?').waitFor();
    await operation.getByRole('button', { name: 'Cancel' }).click();
    await operation.getByRole('button', { name: 'Send…' }).click();
    await operation.getByRole('button', { name: 'Send it' }).click();
    await operation.getByText('201', { exact: true }).last().waitFor();
    expect(complaints).toEqual([]);
  });

  it('reads on a phone, with no name cut in two', async () => {
    const { page: phone } = await visitor({ viewport: { width: 390, height: 844 } });
    await phone.goto('/docs/api-keys');
    await phone.getByRole('heading', { level: 1 }).waitFor();
    const tooWide = await phone.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(tooWide).toBeLessThanOrEqual(0);
    const broken = await phone.evaluate(() =>
      [...document.querySelectorAll('li code.font-medium')]
        .filter((name) => name.getClientRects().length > 1)
        .map((name) => name.textContent),
    );
    expect(broken).toEqual([]);
    expect(await axeFindings(phone)).toEqual([]);
  });
});
