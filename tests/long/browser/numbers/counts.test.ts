import { describe, expect, it } from 'vitest';
import { settled } from '../../../../demo/browser.mjs';
import type { Caller } from '../../../../lib/contract/callers';
import type { CountedDecisions, LoggedDecision } from '../../../../lib/contract/decisions';
import type { ApiKey } from '../../../../lib/contract/keys';
import type { LimitInUse } from '../../../../lib/contract/limit-use';
import type { Statistics } from '../../../../lib/contract/statistics';
import { complaints, demoSuite, open, page, read } from '../../../fixtures/demo-suite';

demoSuite();

interface LimitUses {
  from: string;
  to: string;
  limits: LimitInUse[];
}

const MINUTE = 60_000;

const firstNumber = (text: string | null) => Number(/\d[\d,]*/.exec(text ?? '')?.[0].replaceAll(',', ''));
const sum = (rows: readonly { count: number }[]) => rows.reduce((total, { count }) => total + count, 0);

/** Reads every figure of a page that links to the decisions it counts. */
async function figures(): Promise<{ href: string; count: number }[]> {
  const links = page.locator('main a[href^="/decisions?"]');
  const found = await links.evaluateAll((elements) =>
    elements.map((element) => {
      const texts: string[] = [];
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) texts.push(walker.currentNode.textContent ?? '');
      return { href: element.getAttribute('href') ?? '', text: texts.join(' ') };
    }),
  );
  return found
    .filter(({ text }) => /\d/.test(text))
    .map(({ href, text }) => ({ href, count: firstNumber(text.replace(/^\D*/, '')) }));
}

/** Reads the total above the list of decisions, once it belongs to the address. */
async function totalOf(href: string): Promise<number> {
  await open(href);
  const total = page.getByText(/^[\d,]+ decisions?\b/).first();
  await total.waitFor();
  return firstNumber(await total.textContent());
}

/** Compares a page of decisions with the API: total, legend, rows and callers. */
async function expectOneTruth(href: string, expected: number): Promise<void> {
  expect(await totalOf(href), href).toBe(expected);
  const counted = await Promise.all([
    page.waitForResponse((response) => response.url().includes('/v1/admin/decisions/counts')),
    page.reload(),
  ]);
  await settled(page);
  const counts: CountedDecisions = await counted[0].json();
  expect(counts.totals.total, href).toBe(expected);
  const legend = (await figures()).reduce((total, { count }) => total + count, 0);
  expect(legend, `legend of ${href}`).toBe(expected);
  const query = new URLSearchParams(new URL(counted[0].url()).searchParams);
  query.delete('step');
  query.set('limit', '1000');
  const callers = await read<Caller[]>('/v1/admin/decisions/callers', query);
  expect(sum(callers), `callers of ${href}`).toBe(expected);
  if (expected > 1_000) return;
  const rows = await read<LoggedDecision[]>('/v1/admin/decisions', query);
  expect(sum(rows), `rows of ${href}`).toBe(expected);
}

describe.each(['1h', '24h', '30d'])('the overview of %s', (span) => {
  it('counts what its links open', async () => {
    await open(`/?span=${span}`);
    const shown = await figures();
    expect(shown.length).toBeGreaterThan(8);
    const sums = await page.getByText(/[\d,]+ total, /).textContent();
    const bars = page.getByRole('slider', { name: /^Decisions:/ });
    await bars.focus();
    await page.keyboard.press('End');
    const lastBar = firstNumber(((await bars.getAttribute('aria-valuetext')) ?? '').split(', ').at(-1) ?? '');
    for (const { href, count } of shown) await expectOneTruth(href, count);
    const range = (await figures()).length > 0 ? new URL(page.url()).searchParams.get('range') : null;
    expect(range).toBe(span);
    const [response] = await Promise.all([
      page.waitForResponse((answer) => answer.url().includes('/v1/admin/statistics?')),
      page.goto(`/?span=${span}`),
    ]);
    const { totals, points }: Statistics = await response.json();
    const all = (one: Statistics['totals']) => one.allowed + one.refused + one.bypassed + one.degraded + one.observed;
    expect(firstNumber(sums)).toBe(all(totals));
    expect(lastBar).toBe(all(points.at(-1)!));
  });
});

it('a bar of the decisions opens exactly what it counted', async () => {
  await open('/decisions?range=24h&class=auth');
  const bars = page.getByRole('slider');
  await bars.focus();
  for (let step = 0; step < 6; step += 1) await page.keyboard.press('ArrowLeft');
  const counted = firstNumber(((await bars.getAttribute('aria-valuetext')) ?? '').split(', ').at(-1) ?? '');
  await page.keyboard.press('Enter');
  await page.waitForURL(/from=/);
  await expectOneTruth(new URL(page.url()).pathname + new URL(page.url()).search, counted);
});

it.each(['Demo: Partner feed', 'Demo: Hackathon team 7'])('the page of %s counts one set of refusals', async (name) => {
  const keys = await read<ApiKey[]>('/v1/admin/api-keys', { q: name });
  await open(`/keys/${keys[0]!.id}`);
  expect(await page.title()).toBe(`${name} · Sluice`);
  const legend = firstNumber(await page.getByRole('figure').getByText('Refused').locator('..').textContent());
  const refusals = (await page.getByRole('link', { name: 'All refusals' }).getAttribute('href')) ?? '';
  await expectOneTruth(refusals, legend);
  const { days } = await read<{ days: { refused: number }[] }>(`/v1/admin/statistics/keys/${keys[0]!.id}`, {});
  expect(days.reduce((total, { refused }) => total + refused, 0)).toBe(legend);
});

it.each(['sms', 'tokens'])('the overview of the limit %s counts what its links open', async (name) => {
  await open(`/?span=24h&limit=${name}`);
  const shown = await figures();
  const address = new URL(page.url());
  const sliders = await page.getByRole('slider').evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  const [response] = await Promise.all([
    page.waitForResponse((answer) => answer.url().includes('/v1/admin/statistics?')),
    page.goto(address.href),
  ]);
  const counts = ((await response.json()) as Statistics).totals.limits[name]!;
  expect(sliders[0]).toContain(`Allowed ${counts.allowed.toLocaleString('en')}`);
  expect(sliders[1]).toContain(`${counts.units.toLocaleString('en')}`);
  if (counts.refused > 0) expect(shown.map(({ count }) => count)).toContain(counts.refused);
  for (const { href, count } of shown) {
    expect(href).toContain(`limit_name=${name}`);
    await expectOneTruth(href, count);
  }
});

const CLASS_WORDS = { auth: 'Auth', sensitive: 'Sensitive', read: 'Read', write: 'Write', lab: 'Lab' };

/** Names a limit as its instrument does. */
function nameOf(place: string): string {
  const [group, name = '', subject] = place.split('.');
  if (group === 'limits') return name;
  if (group === 'clients') return `Clients, ${name}`;
  return `${CLASS_WORDS[name as keyof typeof CLASS_WORDS]}, per ${subject === 'ip' ? 'address' : 'user'}`;
}

it('each limit shows the last hour that the API counts, and its callers', async () => {
  await open('/limits');
  const { limits } = await read<LimitUses>('/v1/admin/statistics/limits', {});
  expect(limits.length).toBeGreaterThan(6);
  for (const { place, units, points, nearest } of limits) {
    expect(
      points.reduce((total, each) => total + each, 0),
      place,
    ).toBe(units);
    const chart = page.getByRole('img', { name: `${nameOf(place)}, last hour:` });
    expect(firstNumber((await chart.getAttribute('aria-label'))!.split('hour:')[1]!), place).toBe(units);
    const callers = page.getByRole('list', { name: `${nameOf(place)}, nearest callers` }).getByRole('listitem');
    const texts = await callers.allTextContents();
    expect(texts, place).toEqual(
      nearest.map(({ identifier, api_key_name: key, peak_percent }) => {
        return expect.stringMatching(new RegExp(`${(key ?? identifier).replace(/[+.]/g, '\\$&')}.*${peak_percent}%$`));
      }),
    );
  }
  expect(await page.getByRole('img', { name: ', last hour:' }).count()).toBe(limits.length);
});

it('a class counts as many units as its limit for addresses saw decisions', async () => {
  const { from, to, limits } = await read<LimitUses>('/v1/admin/statistics/limits', {});
  const { totals } = await read<Statistics>('/v1/admin/statistics', { from, to, step: '60' });
  const written = limits.find(({ place }) => place === 'classes.write.ip')!;
  const { allowed, refused, degraded, observed } = totals.classes.write;
  // A request without an address counts against no address, and each costs 1 in the demonstration.
  expect(written.units).toBeLessThanOrEqual(allowed + refused + degraded + observed);
  expect(written.units).toBeGreaterThan(0.9 * (allowed + refused));
});

it('the minute of the health strip is that of the statistics', async () => {
  await page.clock.setFixedTime(Date.now());
  await open('/');
  // Both numbers are of the same answer, which says when it was given.
  const [response] = await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith('/v1/admin/overview')),
    page.reload(),
  ]);
  await settled(page);
  const { at }: { at: string } = await response.json();
  const to = Math.floor(Date.parse(at) / MINUTE) * MINUTE;
  const bounds = { from: new Date(to - MINUTE).toISOString(), to: new Date(to).toISOString(), step: '60' };
  const { totals } = await read<Statistics>('/v1/admin/statistics', bounds);
  const health = page.getByRole('region', { name: 'Health' });
  const name = `Minute from ${bounds.from.slice(11, 16)}`;
  const words = `${totals.allowed.toLocaleString('en')} allowed, ${totals.refused.toLocaleString('en')} refused`;
  await health.getByText(name, { exact: true }).locator('..').getByText(words, { exact: true }).waitFor();
});

it('leaves the console silent', () => {
  expect(complaints).toEqual([]);
});
