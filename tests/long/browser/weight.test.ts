import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { browserSuite, product, QUIET, signedIn } from '../../fixtures/browser-suite';
import { CONSOLE_TITLES } from '../../fixtures/console-pages';
import { fillConsole } from '../../fixtures/fill-console';
import { until } from '../../fixtures/until';

const MOST_SCRIPT = 250_000;
const PAGES = [...Object.keys(CONSOLE_TITLES), '/oauth/token'];
let findPath: (path: string) => string;

async function prepare(): Promise<void> {
  findPath = await fillConsole(product);
  const scripts = readdirSync('.next/static', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  expect(scripts.length).toBeGreaterThan(0);
  // A build that was not compressed ahead is compressed while the server runs, one file after the other.
  for (const name of scripts) {
    await until(async () => {
      const headers = { 'accept-encoding': 'br' };
      const answer = await fetch(`${product.origin}/_next/static/${name}`, { method: 'HEAD', headers });
      return answer.headers.get('content-encoding') === 'br';
    });
  }
}

/** Returns the time of the page once what has loaded is painted. */
const tellLoadedTime = async () => {
  await document.fonts.ready;
  for (let frames = 0; frames < 2; frames += 1) await new Promise((done) => requestAnimationFrame(done));
  return performance.now();
};

interface Shift extends PerformanceEntry {
  sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
}

/** Returns what can be clicked and has moved up or down since, by the Layout Instability API: a click would have missed. */
const listMoves = (loadedAt: number) =>
  new Promise<string[]>((done) => {
    const TARGETS = 'a, button, input, select, textarea';
    const observer = new PerformanceObserver((list) => {
      const late = (list.getEntries() as Shift[]).filter(({ startTime }) => startTime > loadedAt);
      const moved = late
        .flatMap(({ sources }) => sources)
        .filter(({ previousRect, currentRect }) => Math.abs(previousRect.y - currentRect.y) > 4)
        .flatMap(({ node }) => (node instanceof Element ? node : (node?.parentElement ?? [])))
        .filter((element) => element.closest(TARGETS) !== null || element.querySelector(TARGETS) !== null);
      done(moved.map(({ textContent }) => textContent.slice(0, 80)));
    });
    observer.observe({ type: 'layout-shift', buffered: true });
    // A page where nothing has ever moved has no entry.
    setTimeout(() => done([]), 1_000);
  });

browserSuite({ prepare, signInAt: QUIET });

describe('the first visit', () => {
  it.each(PAGES)('to %s transfers less than 250 kB of script, and moves no button once it has loaded', async (path) => {
    const { page, context } = await signedIn();
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    const scripts = new Set<string>();
    let bytes = 0;
    let changed = performance.now();
    network.on('Network.responseReceived', ({ requestId, type }) => {
      changed = performance.now();
      if (type === 'Script') scripts.add(requestId);
    });
    network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      changed = performance.now();
      if (scripts.has(requestId)) bytes += encodedDataLength;
    });
    await page.goto(findPath(path));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction(() => document.querySelector('[data-slot="skeleton"]') === null);
    const loadedAt = await page.evaluate(tellLoadedTime);
    // What an answer asks for is fetched after it: cards for what was found, the first steps.
    await until(() => performance.now() > changed + 1_500);
    const moved = await page.evaluate(listMoves, loadedAt);
    await context.close();
    expect(moved).toEqual([]);
    expect(bytes).toBeGreaterThan(100_000);
    expect(bytes).toBeLessThan(MOST_SCRIPT);
  });
});

describe('a file of the build', () => {
  it('comes as it is to a client that reads no Brotli, and as the same file to one that does', async () => {
    const html = await (await fetch(`${product.origin}/sign-in`)).text();
    const path = html.match(/"(\/_next\/static\/[^"]+\.js)"/)?.[1] ?? '';
    const [plain, brotli, refused] = await Promise.all(
      ['identity', 'gzip, br', 'br;q=0'].map((encoding) =>
        fetch(product.origin + path, { headers: { 'accept-encoding': encoding } }),
      ),
    );
    expect(plain?.headers.get('content-encoding')).toBeNull();
    expect(refused?.headers.get('content-encoding')).not.toBe('br');
    expect(brotli?.headers.get('content-encoding')).toBe('br');
    expect(brotli?.headers.get('cache-control')).toContain('immutable');
    expect(brotli?.headers.get('vary')).toBe('Accept-Encoding');
    expect(await brotli?.text()).toBe(await plain?.text());
  });
});
