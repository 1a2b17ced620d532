import { readArguments } from '../server/read-arguments.mjs';
import { launchBrowser, settled, signedIn } from './browser.mjs';
import { SCREENS } from './screens-list.mjs';
import { startDemo } from './start-demo.mjs';

const PORT = Number(process.env.PORT || 3190);
// The server has just been started, and the browser has nothing in its cache.
const {
  positionals: [onlyPage],
} = readArguments({
  usage: 'npm run measure:pages -- [SCREEN]',
  summary: 'Measures what the first visit to each screen transfers and when it is usable. Prints a table in Markdown.',
  positionals: ['SCREEN', 'The only screen to measure.'],
});
const rows = [];
const browser = await launchBrowser();
for (const cold of onlyPage === undefined ? [true, false] : [false]) {
  let demo = await startDemo({ port: PORT, live: false });
  let state = await signedIn(browser, demo);
  for (const screen of SCREENS.filter(({ name }) => onlyPage === undefined || name === onlyPage)) {
    if (cold && !(screen.name === 'overview' || screen.name === 'decisions')) continue;
    if (cold) {
      // A server in which only the sign-in ran.
      await demo.stop();
      demo = await startDemo({ port: PORT, live: false });
      state = await signedIn(browser, demo);
    }
    const result = await visit(demo, state, screen);
    if (result !== null) rows.push({ name: cold ? `${screen.name}, cold server` : screen.name, ...result });
  }
  await demo.stop();
}
await browser.close();

console.log('| screen | script | style | fonts | document and data | requests | usable after |');
console.log('|---|---:|---:|---:|---:|---:|---:|');
const kb = (bytes) => `${Math.round(bytes / 1000)} kB`;
for (const { name, sizes, requests, usable } of rows) {
  console.log(
    `| ${name} | ${kb(sizes.script)} | ${kb(sizes.style)} | ${kb(sizes.font)} | ${kb(sizes.other)} | ${requests} | ${Math.round(usable)} ms |`,
  );
}

async function visit(demo, state, { path: place, follow, anonymous, prepare }) {
  const options = { baseURL: demo.origin, storageState: anonymous ? undefined : state };
  const path = typeof place === 'function' ? place(await prepare(demo)) : place;
  const target = follow === undefined ? path : await addressOf(options, path, follow);
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    const sizes = { script: 0, style: 0, font: 0, other: 0 };
    const kinds = new Map();
    const list = new Map();
    network.on('Network.responseReceived', ({ requestId, type, response }) => {
      kinds.set(requestId, { Script: 'script', Stylesheet: 'style', Font: 'font' }[type] ?? 'other');
      list.set(requestId, response.url);
    });
    let requests = 0;
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      sizes[kinds.get(requestId) ?? 'other'] += encodedDataLength;
      requests += 1;
      if (onlyPage !== undefined) console.error(String(encodedDataLength).padStart(8), list.get(requestId));
    });
    const begin = performance.now();
    const response = await page.goto(target, { waitUntil: 'commit' });
    if (response?.status() === 404) return null;
    await settled(page);
    const usable = performance.now() - begin;
    // What comes after the screen is usable (the palette, dialogs that are fetched ahead) counts all the same.
    await page.waitForLoadState('networkidle').catch(() => undefined);
    return { sizes, requests, usable };
  } finally {
    await context.close();
  }
}

async function addressOf(options, path, name) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(path);
  const address = await page.getByRole('link', { name }).first().getAttribute('href');
  await context.close();
  return address;
}
