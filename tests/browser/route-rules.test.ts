import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { describe, expect, it } from 'vitest';
import { axeFindings } from '../fixtures/browser';
import { browserSuite, page, product } from '../fixtures/browser-suite';
import { type Product, startProduct } from '../fixtures/product';

/** Took any URLPattern in earlier builds: one request of 128 letters stopped the process for good. */
const GROUP = '/api/(.*.*.*.*.*.*.*.*.*)x';
const REASON = 'path must not have a group: `(` at character 6';
const HUNDRED_LETTERS = `/api/${'a'.repeat(128)}`;

async function start(): Promise<Product> {
  const first = await startProduct();
  const { directory } = first;
  expect(
    (await first.admin('PUT', '/v1/admin/route-rules', [{ method: '*', path: '/api/reports/*', class: 'sensitive' }]))
      .status,
  ).toBe(200);
  first.process.kill('SIGTERM');
  await new Promise((resolve) => first.process.once('exit', resolve));
  const database = createClient({ url: `file:${join(directory, 'sluice.db')}` });
  const stored = [
    { method: '*', path: GROUP, class: 'read' },
    { method: '*', path: '/api/reports/*', class: 'sensitive' },
  ];
  await database.execute({
    sql: "update settings set value = ? where name = 'route-rules'",
    args: [JSON.stringify(stored)],
  });
  database.close();
  return startProduct({ directory });
}
browserSuite({ start, signInAt: '/limits?tab=routes' });

const classOf = async (path: string): Promise<string> => {
  const check = { method: 'GET', path, ip: '203.0.113.9' };
  return (await (await product.admin('POST', '/v1/check', check)).json()).class;
};

describe('an invalid stored rule', () => {
  it('is skipped, named once in the log, and does not stop the process', async () => {
    expect(await classOf(HUNDRED_LETTERS)).toBe('read');
    expect(await classOf('/api/reports/7')).toBe('sensitive');
    expect(product.output().match(/route rule 1 is skipped/g)).toHaveLength(1);
    expect(product.output()).toContain(JSON.stringify(REASON).slice(1, -1));
  });

  it('is named on the screen, with what to do', async () => {
    const warning = page.locator('[data-slot=alert]');
    await warning.waitFor();
    expect(await warning.textContent()).toContain(`Rule 1: ${REASON}.`);
    expect(await warning.textContent()).toContain('Change or remove the rule, then save.');
    expect(await page.getByLabel('Path of rule 1').inputValue()).toBe(GROUP);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('does not hinder the tester, which runs the other rules', async () => {
    await page.getByLabel('Path', { exact: true }).fill('/api/reports/7');
    await page.getByText('By rule 2.').waitFor();
    await page.getByLabel('Path', { exact: true }).fill(HUNDRED_LETTERS);
    await page.getByText('No rule matches; this is the default.').waitFor();
  });

  it('cannot be saved again, and the form says where it is wrong', async () => {
    await page.locator('#rule-1-cost').fill('2');
    await page.getByLabel('Reason').fill('Reports cost more');
    await page.getByRole('button', { name: 'Save changes' }).click();
    const error = page.getByRole('alert').filter({ hasText: 'character 6' });
    await error.waitFor();
    expect(await error.textContent()).toBe('Path must not have a group: `(` at character 6');
    expect(await page.getByLabel('Path of rule 1').getAttribute('aria-describedby')).toBe(
      await error.getAttribute('id'),
    );
    expect(await axeFindings(page)).toEqual([]);
  });

  it('is gone when it was changed', async () => {
    await page.getByLabel('Path of rule 1').fill('/api/:letters');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Route rules saved').waitFor();
    await page.locator('[data-slot=alert]').waitFor({ state: 'detached' });
    await page.getByText('By rule 1.').waitFor();
  });
});
