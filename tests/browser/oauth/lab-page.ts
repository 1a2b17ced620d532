import type { Page } from 'playwright-core';
import { type Product, startProduct } from '../../fixtures/product';

/** The product with room for many requests to the lab: its own limits are tested where they are meant. */
export function startLab(): Promise<Product> {
  const room = { limit: 10_000, window_seconds: 60 };
  const policies = { classes: { auth: { ip: room }, read: { ip: room } }, clients: { public: room } };
  return startProduct({ env: { SLUICE_POLICIES: JSON.stringify(policies) } });
}

/** Complaints of the console that are not the browser's own note of a refused request. */
export function realComplaints(complaints: readonly string[]): string[] {
  return complaints.filter((complaint) => !/the server responded with a status of (4\d\d|503)/.test(complaint));
}

/** Opens the builder in a state, and waits until the lab was measured. */
export async function openBuilder(page: Page, path = '/oauth'): Promise<void> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1, name: 'OAuth builder' }).waitFor();
  await measured(page);
}

/** Waits until the matrix is whole. */
export async function measured(page: Page): Promise<void> {
  await page.locator('section[aria-label="Score"] output', { hasText: /^\d+$/ }).waitFor();
}

/** Presses Send and waits for the answer. */
export async function send(page: Page, path: string): Promise<void> {
  const answered = page.waitForResponse((response) => new URL(response.url()).pathname === path);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await (await answered).finished();
}

/** A parameter of the request. */
export const parameter = (page: Page, name: string) => page.getByLabel(name, { exact: true });
/** One of the cards of the page. */
export const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

/** Authorization and token request, as a person would click them together. */
export async function getToken(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Authorize' }).click();
  await page.getByRole('button', { name: 'Generate', exact: true }).click();
  await page.getByRole('button', { name: 'Generate pair' }).click();
  await page.getByText('PKCE is required: ').waitFor({ state: 'detached' });
  await send(page, '/auth/authorize');
  await page.getByRole('tab', { name: 'Token' }).click();
  await page.getByRole('button', { name: 'Last code' }).click();
  await page.getByRole('button', { name: 'Last verifier' }).click();
  await send(page, '/auth/token');
  await card(page, 'Token').getByText('Signature verified').waitFor();
}
