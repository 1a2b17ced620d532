// npm run screens: pictures of every screen, wide and narrow, light and dark, from demonstration data, into
// tmp/screens. --out=<folder>, --only=<name,...>, --widths=<pixels,...> and --empty (a fresh installation) look closer.
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchBrowser, settled, signedIn } from './browser.mjs';
import { SCREENS } from './screens-list.mjs';
import { startDemo } from './start-demo.mjs';

const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: 'tmp/screens' },
    only: { type: 'string' },
    widths: { type: 'string', default: '1440,390' },
    empty: { type: 'boolean', default: false },
  },
});
const HEIGHTS = { 1440: 900, 390: 844, 360: 740, 3840: 2160 };
const widths = options.widths.split(',').map(Number);
const wanted = options.only?.split(',');

const demo = await startDemo({ port: Number(process.env.PORT || 3180), empty: options.empty });
const browser = await launchBrowser();
const complaints = [];
try {
  const state = await signedIn(browser, demo);
  mkdirSync(options.out, { recursive: true });
  if (wanted === undefined) for (const file of pictures()) rmSync(join(options.out, file));
  for (const screen of SCREENS) {
    if (wanted !== undefined && !wanted.includes(screen.name)) continue;
    for (const width of widths) for (const theme of ['light', 'dark']) await take(screen, width, theme, state);
  }
} finally {
  await browser.close();
  await demo.stop();
}
const total = pictures().reduce((sum, file) => sum + statSync(join(options.out, file)).size, 0);
console.log(`${pictures().length} pictures in ${options.out}, ${(total / 1e6).toFixed(1)} MB`);
for (const complaint of complaints) console.error(complaint);

async function take({ name, path, follow, tab, act, anonymous }, width, theme, state) {
  const context = await browser.newContext({
    baseURL: demo.origin,
    storageState: anonymous ? undefined : state,
    colorScheme: theme,
    reducedMotion: 'reduce',
    viewport: { width, height: HEIGHTS[width] ?? 900 },
  });
  try {
    const page = await context.newPage();
    const response = await page.goto(path);
    if (response?.status() === 404) return;
    await settled(page);
    if (follow !== undefined) {
      const link = page.getByRole('link', { name: follow }).first();
      if ((await link.count()) === 0) return;
      await link.click();
      await page.waitForURL((url) => url.pathname !== path);
      await settled(page);
    }
    if (tab !== undefined) {
      await page.goto(`${page.url()}?tab=${tab}`);
      await settled(page);
    }
    if (act !== undefined) await act(page);
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (over > 0) complaints.push(`${name} at ${width} px sticks out by ${over} px`);
    const file = `${name}${width === 1440 ? '' : `-${width}`}-${theme}.png`;
    await page.screenshot({ path: join(options.out, file), animations: 'disabled' });
  } finally {
    await context.close();
  }
}

function pictures() {
  return readdirSync(options.out).filter((file) => file.endsWith('.png'));
}
