import { expect, it } from 'vitest';
import { browserSuite, product, QUIET, signedIn } from '../fixtures/browser-suite';

const ALLOWLIST = '/v1/admin/rate-limit/allowlist';
const ADDRESSES = ['192.0.2.7', '192.0.2.8'];

browserSuite({
  prepare: async () => {
    for (const identifier of ADDRESSES)
      await product.admin('POST', ALLOWLIST, { type: 'ip', identifier, reason: 'Office' });
  },
  signInAt: QUIET,
});

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const overlap = (a: Box, b: Box) =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

it.each([
  [1440, 900],
  [390, 844],
])('at %i px a toast covers neither the logo, the navigation nor an open dialog', async (width, height) => {
  const { page, complaints } = await signedIn({ viewport: { width, height } });
  await page.goto('/allowlist');
  const identifier = width === 390 ? ADDRESSES[0] : ADDRESSES[1];
  await page.getByRole('button', { name: `Actions for ${identifier}` }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('The load test is over');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click();
  const toast = page.locator('[data-sonner-toast]', { hasText: `${identifier} was removed` });
  // It stays while the pointer is on it.
  await toast.hover();
  const boxOf = async (selector: string) => (await page.locator(`${selector}:visible`).first().boundingBox())!;
  const placed = async (selector: string) => overlap((await toast.boundingBox())!, await boxOf(selector));
  const frame = width === 390 ? 'header' : 'aside';
  for (const part of [`${frame} a[href="/"]`, frame])
    await expect.poll(() => placed(part), { message: part }).toBe(false);
  // The toast moves when the dialog opens.
  await page.keyboard.press('c');
  await page.getByRole('dialog').getByLabel('Address or range').waitFor();
  await toast.hover();
  await expect.poll(() => placed('[role="dialog"]')).toBe(false);
  if (width > 390) await expect.poll(() => placed('aside a[href="/"]')).toBe(false);
  expect(complaints).toEqual([]);
});
