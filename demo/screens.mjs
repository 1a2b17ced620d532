import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from '../server/read-arguments.mjs';
import { launchBrowser, loaded, settled, signedIn } from './browser.mjs';
import { DIALOGS } from './dialogs-list.mjs';
import { SCREENS } from './screens-list.mjs';
import { startDemo } from './start-demo.mjs';

const text = (value, description, preset) => ({ type: 'string', value, description, default: preset });
const { values: given } = readArguments({
  usage: 'npm run screens --',
  summary: 'Takes pictures of every screen and dialog with demonstration data, and prints complaints of the browser.',
  options: {
    out: text('FOLDER', 'Write them there, instead of tmp/screens.', 'tmp/screens'),
    only: text('NAME,...', 'Take these only.'),
    widths: text('PIXELS,...', 'Widths of the window.', '1440,390'),
    themes: text('NAME,...', 'Colour themes.', 'light,dark'),
    full: { description: 'Show the whole page, not one window of it.' },
    empty: { description: 'Show a fresh installation.' },
    docs: { description: 'Take the pictures of the documentation, into docs/screens.' },
  },
});
const options = given.docs ? { ...given, out: 'docs/screens', widths: '1440', themes: 'light' } : given;
const HEIGHTS = { 1440: 900, 390: 844, 360: 740, 3840: 2160 };
const themes = options.themes.split(',');
const looks = options.widths.split(',').flatMap((width) => themes.map((theme) => ({ width: Number(width), theme })));
const wanted = options.only?.split(',');

const demo = await startDemo({ port: Number(process.env.PORT || 3180), empty: options.empty });
const browser = await launchBrowser();
const complaints = new Set();
try {
  const state = await signedIn(browser, demo);
  mkdirSync(options.out, { recursive: true });
  if (wanted === undefined && !options.docs) for (const file of pictures()) rmSync(join(options.out, file));
  // The one that requires a second factor of everybody comes last.
  for (const screen of [...DIALOGS.map((dialog) => ({ ...dialog, once: true })), ...SCREENS]) {
    if (wanted ? !wanted.includes(screen.name) : screen.empty && !options.empty) continue;
    if (options.docs && !screen.doc) continue;
    await visit(screen, state).catch((error) => complaints.add(`${screen.name}: ${error.message.split('\n')[0]}`));
  }
} finally {
  await browser.close();
  await demo.stop();
}
const total = pictures().reduce((sum, file) => sum + statSync(join(options.out, file)).size, 0);
console.log(`${pictures().length} pictures in ${options.out}, ${(total / 1e6).toFixed(1)} MB`);
for (const complaint of complaints) console.error(complaint);

/** Takes all pictures of a screen: from one visit where it says `once`, else from one visit each. */
async function visit(screen, state) {
  const storageState = screen.anonymous ? undefined : ((await screen.as?.(demo, browser)) ?? state);
  const prepared = await screen.prepare?.(demo, browser);
  try {
    for (const some of screen.once ? [looks] : looks.map((look) => [look])) {
      await take(screen, prepared, some, storageState);
    }
  } finally {
    await prepared?.after?.();
  }
}

async function take(screen, prepared, some, storageState) {
  const [{ width, theme }] = some;
  const context = await browser.newContext({
    baseURL: demo.origin,
    storageState,
    colorScheme: theme,
    reducedMotion: 'reduce',
    viewport: sizeOf(width),
  });
  context.setDefaultTimeout(20_000);
  try {
    const page = await context.newPage();
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.add(`${screen.name}: ${message.text()}`);
    });
    page.on('pageerror', (error) => complaints.add(`${screen.name}: uncaught ${error.message}`));
    if (!(await open(page, screen, prepared))) return;
    for (const look of some) {
      await page.setViewportSize(sizeOf(look.width));
      await page.emulateMedia({ colorScheme: look.theme });
      await page.waitForFunction(
        (dark) => document.documentElement.classList.contains('dark') === dark,
        look.theme === 'dark',
      );
      await picture(page, screen, look);
    }
  } finally {
    await context.close();
  }
}

/** Opens a screen and does there what it is for; false if this installation has no such screen. */
async function open(page, { path, follow, tab, act, status }, prepared) {
  const response = await page.goto(typeof path === 'function' ? path(prepared) : path);
  if (response?.status() === 404 && status !== 404) return false;
  await settled(page);
  if (follow !== undefined) {
    const link = page.getByRole('link', { name: follow }).first();
    if ((await link.count()) === 0) return false;
    const before = new URL(page.url()).pathname;
    await link.click();
    await page.waitForURL((url) => url.pathname !== before);
    await settled(page);
  }
  if (tab !== undefined) {
    await page.goto(`${page.url()}?tab=${tab}`);
    await settled(page);
  }
  if (act !== undefined) {
    await act(page, prepared);
    await page.waitForLoadState('networkidle');
    await loaded(page);
  }
  return true;
}

async function picture(page, { name, doc }, { width, theme }) {
  const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (over > 0) complaints.add(`${name} at ${width} px sticks out by ${over} px`);
  const file = options.docs ? `${doc}.png` : `${name}${width === 1440 ? '' : `-${width}`}-${theme}.png`;
  await page.screenshot({ path: join(options.out, file), animations: 'disabled', fullPage: options.full });
}

function sizeOf(width) {
  return { width, height: HEIGHTS[width] ?? 900 };
}

function pictures() {
  return readdirSync(options.out).filter((file) => file.endsWith('.png'));
}
