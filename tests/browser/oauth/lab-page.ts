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

/** Recorded answer, as DevTools takes it. The body is in base64. */
interface LabAnswer {
  responseCode: number;
  responseHeaders: { name: string; value: string }[];
  body: string;
}

/** Answers of the lab, by address and body. The lab keeps no state, so it always gives the same answer. */
const answers = new Map<string, LabAnswer>();
const MEASUREMENTS = ['*/v1/oauth/assessments', '*/v1/oauth/replays/*'].map((urlPattern) => ({ urlPattern }));
/** Headers that describe how the body was sent. DevTools returns it decoded. */
const OF_TRANSFER = ['content-encoding', 'content-length', 'transfer-encoding'];

/**
 * Runs each measurement of the lab once, and answers the next request for it from memory: an assessment takes a second
 * of processor time, and every visit of the builder starts one. DevTools pauses the requests, because routes of
 * Playwright would switch the cache of the browser off.
 */
export async function measureLabOnce(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  session.on('Fetch.requestPaused', ({ requestId, request, responseStatusCode, responseHeaders = [] }) => {
    const key = `${request.method} ${request.url} ${request.postData}`;
    const proceed = async () => {
      const answer = answers.get(key);
      if (answer !== undefined) return session.send('Fetch.fulfillRequest', { requestId, ...answer });
      if (responseStatusCode === undefined)
        return session.send('Fetch.continueRequest', { requestId, interceptResponse: request.method === 'POST' });
      if (responseStatusCode !== 200) return session.send('Fetch.continueResponse', { requestId });
      const { body, base64Encoded } = await session.send('Fetch.getResponseBody', { requestId });
      answers.set(key, {
        responseCode: responseStatusCode,
        responseHeaders: responseHeaders.filter(({ name }) => !OF_TRANSFER.includes(name.toLowerCase())),
        body: base64Encoded ? body : Buffer.from(body).toString('base64'),
      });
      return session.send('Fetch.continueResponse', { requestId });
    };
    // A page that was left has cancelled its requests.
    proceed().catch(() => undefined);
  });
  await session.send('Fetch.enable', { patterns: MEASUREMENTS });
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
