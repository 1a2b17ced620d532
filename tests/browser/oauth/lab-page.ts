import type { Page } from 'playwright-core';
import { type Product, startProduct } from '../../fixtures/product';

/** The product with room for many requests to the lab: its own limits are tested where they are meant. */
export function startLab(): Promise<Product> {
  const room = { limit: 10_000, window_seconds: 60 };
  const policies = {
    classes: { auth: { ip: room }, read: { ip: room }, lab: { ip: room } },
    clients: { public: room },
  };
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

/** Waits until the lab was measured with the current switches. */
export async function measured(page: Page): Promise<void> {
  await page
    .getByRole('status', { name: 'Grade' })
    .filter({ hasText: /^[A-F]$/ })
    .waitFor();
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

/** A switch of the lab, wherever it stands in the bar of controls. */
export async function controlSwitch(page: Page, name: RegExp) {
  const found = page.getByRole('switch', { name });
  const areas = card(page, 'Controls').locator('button[aria-expanded=false]');
  while ((await found.count()) === 0) await areas.last().click();
  return found;
}

/** The tab of a pane: a request (`Request`) or what came of it (`Result`). */
export const tab = (page: Page, list: 'Request' | 'Result', name: RegExp | string) =>
  page.getByRole('tablist', { name: list }).getByRole('tab', { name });

/** The whole flow, by one button. */
export async function runFlow(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Run the flow' }).click();
  await exchangesOf(page).nth(2).waitFor();
}

/** The exchanges of the flow so far. */
export const exchangesOf = (page: Page) =>
  page.getByRole('list', { name: 'Exchanges of the flow' }).getByRole('listitem');
