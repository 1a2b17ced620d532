import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sharedBrowser } from '@/tests/fixtures/browser';
import { decisionServer } from '@/tests/fixtures/decision-server';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '@/tests/fixtures/services';
import { buildPackages } from '../../../server/packages';

/** What the page runs; the same in every browser. */
const CHECKS = `async (token) => {
  const { Sluice } = await import('/client/index.js');
  // No turn takes long by it.
  const clock = { now: () => 0, after: () => () => undefined };
  const events = [];
  const sluice = new Sluice({ url: location.origin, token, timeout: 60_000, clock, onEvent: (event) => events.push(event) });
  const ask = () => sluice.check({ class: 'auth', user_id: 'browser' });
  const answers = await Promise.all(Array.from({ length: 60 }, ask));
  const away = new Sluice({ url: 'http://127.0.0.1:1', token });
  const without = await away.check({ class: 'read', ip: '203.0.113.7' });
  return {
    allowed: answers.filter(({ allowed }) => allowed).length,
    requests: events.map(({ outcome, checks, error }) => [outcome, checks, ...(error ? [error.message] : [])]),
    without: [without.allowed, without.status],
  };
}`;

let place: TestServices;
let sluice: Awaited<ReturnType<typeof decisionServer>>;
let browser: Awaited<ReturnType<typeof sharedBrowser>>;

beforeAll(async () => {
  await buildPackages(process.cwd());
  place = await testServices();
  sluice = await decisionServer(place.services);
  browser = await sharedBrowser();
});
afterAll(async () => {
  await sluice.stop();
  place[Symbol.dispose]();
});

it('the client decides in a browser, in batches, and answers without its server', async () => {
  const page = await browser.newPage();
  await page.route(`${sluice.url}/`, (route) => route.fulfill({ contentType: 'text/html', body: '<title>x</title>' }));
  await page.route(`${sluice.url}/client/*`, (route) => {
    const name = new URL(route.request().url()).pathname.slice(1);
    return route.fulfill({ contentType: 'text/javascript', body: readFileSync(join('dist', name), 'utf8') });
  });
  await page.goto(`${sluice.url}/`);
  const seen = await page.evaluate(`(${CHECKS})('${TEST_ADMIN_TOKEN}')`);
  expect(seen).toMatchObject({ allowed: 50, without: [true, 'unreachable'] });
  expect(seen).toMatchObject({
    requests: [['answered', 60]],
  });
  await page.close();
});
