import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings, openSignedIn } from '../../fixtures/browser';
import { browserSuite, product, QUIET, signedIn, visitor } from '../../fixtures/browser-suite';
import { readChanges } from '../../fixtures/read-changes';
import { countSteps } from '../../fixtures/steps';
import { until } from '../../fixtures/until';

const REFUSED = '203.0.113.66';
const SCRAPER = '198.51.100.23';
const PARTNER = '192.0.2.77';
let key: { id: string; secret: string };

const check = async (body: Record<string, unknown>) =>
  (await (await product.admin('POST', '/v1/check', body)).json()) as { allowed: boolean };

async function send(times: number, body: Record<string, unknown>): Promise<void> {
  await product.admin(
    'POST',
    '/v1/check/batch',
    Array.from({ length: times }, () => body),
  );
}

const read = async <T>(path: string) => (await (await product.admin('GET', path)).json()) as T;

async function prepare(): Promise<void> {
  await product.admin('PATCH', '/v1/admin/policies', {
    classes: { auth: { ip: { limit: 8, window_seconds: 86_400 } }, read: { ip: { window_seconds: 86_400 } } },
    tiers: { free: 5 },
  });
  await product.admin('PUT', '/v1/admin/rate-limit/overrides', {
    type: 'ip',
    identifier: '198.51.100.0/24',
    class: 'read',
    limit: 6,
    window_seconds: 86_400,
    reason: 'a network that scrapes',
  });
  await product.admin('POST', '/v1/admin/rate-limit/allowlist', {
    type: 'ip',
    identifier: PARTNER,
    reason: 'Ticket 900',
    expires_at: new Date(Date.now() + 3 * 86_400_000).toISOString(),
  });
  key = await (await product.admin('POST', '/v1/admin/api-keys', { name: 'Hackathon', tier: 'free' })).json();
  await send(12, { method: 'POST', path: '/auth/token', ip: REFUSED });
  await send(9, { method: 'GET', path: '/api/products', ip: SCRAPER });
  await send(7, { class: 'write', ip: '203.0.113.99', api_key: key.secret });
  // Statistics and the log are written about a second behind.
  await until(async () => (await read<{ subject: string }[]>('/v1/admin/decisions?reason=quota_exceeded')).length > 0);
  await until(async () => (await read<{ top_refused: unknown[] }>('/v1/admin/statistics')).top_refused.length >= 3);
}
browserSuite({ prepare, signInAt: QUIET });

const overridesOf = (identifier: string) =>
  read<{ limit: number; expires_at: string }[]>(`/v1/admin/rate-limit/overrides?identifier=${identifier}`);
const drawer = (page: Page) => page.getByRole('dialog', { name: /^Help/ });

describe('a refused person', () => {
  it('is helped from the overview in three clicks and one sentence, and the help is taken back', async () => {
    const { page, complaints } = await signedIn();
    await page.goto('/');
    const steps = countSteps();
    await steps.click(page.getByRole('button', { name: `Help ${REFUSED}` }).first());
    await drawer(page).getByText(`${REFUSED} is refused in Auth: 8 of 8 requests in 1 d, by the policy`).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await steps.click(drawer(page).getByRole('button', { name: /^Reset Auth/ }));
    await drawer(page).getByText('8 → 0 of 8 in 1 d; the next request would be allowed.').waitFor();
    await steps.type(drawer(page).getByLabel('Reason'), 'On the phone with them, ticket 812');
    await steps.click(drawer(page).getByRole('button', { name: 'Reset Auth', exact: true }).last());
    await drawer(page).getByText(`The Auth counter of ${REFUSED} is reset.`).waitFor();
    expect([steps.clicks, steps.sentences], steps.taken.join('\n')).toEqual([3, 1]);
    await drawer(page).getByText(`${REFUSED} is no longer refused in Auth: 0 of 8`).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const [record] = await readChanges(product);
    expect(record).toMatchObject({ reason: 'On the phone with them, ticket 812' });
    await steps.click(drawer(page).getByRole('button', { name: 'Undo' }));
    await drawer(page).getByText(`${REFUSED} is refused in Auth`).waitFor();
    expect(complaints).toEqual([]);
  });

  it('finds the override of their network, and gets more for an hour in three clicks and a reason', async () => {
    const { page } = await signedIn();
    await page.goto('/');
    const steps = countSteps();
    await steps.click(page.getByRole('button', { name: `Help ${SCRAPER}` }).first());
    await drawer(page).getByText('by the override of 198.51.100.0/24, “a network that scrapes”').waitFor();
    await steps.click(drawer(page).getByRole('button', { name: /^Raise the Read limit/ }));
    await drawer(page)
      .getByText(/^6 → 12 in 1 d until .+; the next request would be allowed\.$/)
      .waitFor();
    await steps.type(drawer(page).getByLabel('Reason'), 'Their importer, until noon');
    await steps.click(drawer(page).getByRole('button', { name: 'Set to 12' }));
    await drawer(page).getByRole('button', { name: 'Undo' }).waitFor();
    expect([steps.clicks, steps.sentences], steps.taken.join('\n')).toEqual([3, 1]);
    const [override] = await overridesOf(SCRAPER);
    expect(override?.limit).toBe(12);
    const lasts = Date.parse(override?.expires_at ?? '') - Date.now();
    expect(lasts).toBeGreaterThan(3_300_000);
    expect(lasts).toBeLessThanOrEqual(3_600_000);
    expect(await check({ class: 'read', ip: SCRAPER })).toMatchObject({ allowed: true });
    await drawer(page).getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await overridesOf(SCRAPER)).length === 0);
  });

  it('gets as much more as is typed, and what is less than now is said', async () => {
    const { page } = await signedIn();
    await page.goto('/');
    await page
      .getByRole('button', { name: `Help ${SCRAPER}` })
      .first()
      .click();
    await drawer(page)
      .getByRole('button', { name: /^Raise the Read limit/ })
      .click();
    await drawer(page).getByLabel('Requests in 1 d').fill('3');
    await drawer(page).getByText('Less than now').waitFor();
    await drawer(page).getByText('the next request would still be refused, by the limit of the address').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await drawer(page).getByRole('button', { name: '5 times the current limit' }).click();
    await drawer(page).getByLabel('Reason').fill('Their importer, until noon');
    await drawer(page).getByRole('button', { name: 'Set to 30' }).click();
    await drawer(page).getByRole('button', { name: 'Undo' }).waitFor();
    expect(await overridesOf(SCRAPER)).toMatchObject([{ limit: 30 }]);
    await drawer(page).getByRole('button', { name: 'Undo' }).click();
    await until(async () => (await overridesOf(SCRAPER)).length === 0);
  });

  it('has what they sent in the last hour, and a reason that is typed once, however often the drawer closes', async () => {
    const { page } = await signedIn();
    await page.goto('/');
    const open = () =>
      page
        .getByRole('button', { name: `Help ${SCRAPER}` })
        .first()
        .click();
    await open();
    await drawer(page)
      .getByText(/refused$/)
      .first()
      .waitFor();
    await drawer(page)
      .getByRole('img', { name: /^Requests in each minute of the last hour/ })
      .waitFor();
    await drawer(page)
      .getByRole('button', { name: /^Allow for an hour/ })
      .click();
    await drawer(page).getByLabel('Reason').fill('Half a sentence');
    await page.keyboard.press('Escape');
    await drawer(page).waitFor({ state: 'detached' });
    await open();
    await drawer(page)
      .getByRole('button', { name: /^Allow for an hour/ })
      .click();
    await drawer(page).getByText('Draft from').waitFor();
    expect(await drawer(page).getByLabel('Reason').inputValue()).toBe('Half a sentence');
    await drawer(page).getByRole('button', { name: 'Discard draft' }).click();
    expect(await drawer(page).getByLabel('Reason').inputValue()).toBe('');
  });

  it('is found by the range of an override, whose drawer says what applies to it and who in it was refused', async () => {
    const { page, complaints } = await signedIn();
    await page.goto('/limits/overrides');
    await page.getByRole('button', { name: 'Actions for 198.51.100.0/24' }).click();
    await page.getByRole('menuitem', { name: /^Help/ }).click();
    await drawer(page).getByText('Read: 6 in 1 d for each address').waitFor();
    await drawer(page).getByText('“a network that scrapes”').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await drawer(page)
      .getByRole('button', { name: new RegExp(SCRAPER) })
      .click();
    await drawer(page).getByText(`${SCRAPER} is refused in Read`).waitFor();
    await page.goto('/limits/inspect?type=ip&identifier=198.51.100.0%2F24');
    await page.getByRole('button', { name: 'What applies to it' }).click();
    await drawer(page)
      .getByRole('button', { name: /^Reset their counters/ })
      .click();
    await page.getByRole('dialog', { name: 'Reset counters' }).getByLabel('Reason').waitFor();
    expect(complaints).toEqual([]);
  });

  it('whose quota is used up is a key, and never the address that it came from', async () => {
    const { page } = await signedIn();
    await page.goto('/decisions?reason=quota_exceeded');
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: /^Help/ }).click();
    await drawer(page)
      .getByText('Key Hackathon is refused: 5 of 5 requests this month, the quota of the tier Free')
      .waitFor();
    await drawer(page)
      .getByRole('link', { name: /Open the key/ })
      .waitFor();
    await drawer(page)
      .getByRole('button', { name: /^Change the tier/ })
      .waitFor();
    await drawer(page)
      .getByRole('button', { name: /^Grant more requests/ })
      .click();
    await drawer(page).getByLabel('Extra requests').fill('20');
    await drawer(page)
      .getByText(/^5 → 25 this month until .+; the next request would be allowed\.$/)
      .waitFor();
    await drawer(page).getByLabel('Reason').fill('Demonstration on Friday');
    expect(await axeFindings(page)).toEqual([]);
    await drawer(page).getByRole('button', { name: 'Grant 20' }).click();
    await drawer(page).getByText('Hackathon may send 20 more requests').waitFor();
    expect((await check({ class: 'write', api_key: key.secret })).allowed).toBe(true);
    await drawer(page).getByRole('button', { name: 'Undo' }).click();
    await drawer(page).getByText('Key Hackathon is refused').waitFor();
    expect(
      await drawer(page)
        .getByRole('button', { name: /^Reset|^Raise|^Allow/ })
        .count(),
    ).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('is explained to a viewer, whose actions are not offered', async () => {
    await product.admin('POST', '/v1/admin/members', {
      email: 'v@example.com',
      role: 'viewer',
      password: 'only looking at pages',
    });
    const { page } = await visitor();
    await openSignedIn(page, '/', 'v@example.com', 'only looking at pages');
    await page
      .getByRole('button', { name: `Help ${REFUSED}` })
      .first()
      .click();
    await drawer(page).getByText(`${REFUSED} is refused in Auth`).waitFor();
    const reset = drawer(page).getByRole('button', { name: /^Reset Auth/ });
    await expect(reset.isDisabled()).resolves.toBe(true);
    await reset.focus();
    await drawer(page).getByText('Needs the operator role', { exact: true }).filter({ visible: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('of the role viewer is told by every field, list and switch why it may not be changed', async () => {
    const { page } = await visitor();
    await openSignedIn(page, '/limits', 'v@example.com', 'only looking at pages');
    const words = page.getByText('Needs the owner role', { exact: true }).filter({ visible: true });
    const limit = page.getByLabel('Auth, per address, requests', { exact: true });
    await limit.focus();
    await words.waitFor();
    await page.keyboard.type('5');
    expect(await limit.inputValue()).toBe('8');
    await page.keyboard.press('Escape');
    const unit = page.getByLabel('Auth, per address, window, unit');
    const before = await unit.inputValue();
    await unit.hover();
    await words.first().waitFor();
    await unit.focus();
    await page.keyboard.press('ArrowDown');
    expect(await unit.inputValue()).toBe(before);
    await page.getByRole('radio', { name: 'Allow half' }).first().hover({ force: true });
    await words.first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.goto('/settings?tab=members');
    await page.getByRole('switch', { name: 'Require a second factor' }).click({ force: true });
    await words.first().waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByLabel('Role of v@example.com').focus();
    await words.first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe('why was this request refused', () => {
  it('is answered by the request id of the 429, and explained as it is decided now', async () => {
    const [refusal] = await read<{ request_id: string }[]>(`/v1/admin/decisions?type=ip&identifier=${SCRAPER}`);
    const { page, complaints } = await signedIn();
    await page.goto('/limits/explain');
    const steps = countSteps();
    await steps.type(page.getByLabel('Request id'), refusal?.request_id ?? '');
    await steps.click(page.getByRole('button', { name: 'Find' }));
    await page.getByText('How the same request would be decided now').waitFor();
    const trace = page.getByRole('list', { name: 'How it is decided' });
    await trace.getByText('by default: no route rule matches').waitFor();
    await trace.getByRole('link', { name: '198.51.100.0/24' }).waitFor();
    expect([steps.clicks, steps.sentences]).toEqual([1, 1]);
    expect(new URL(page.url()).searchParams.get('request_id')).toBe(refusal?.request_id);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('can be asked of any request of anybody, and the address of the page holds the question', async () => {
    const { page } = await signedIn();
    await page.goto('/limits/explain');
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    await page.getByText('Enter a path, or choose a class.').waitFor();
    await page.getByLabel('Path').fill('/api/x');
    await page.getByLabel('Address').fill(PARTNER);
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    const trace = page.getByRole('list', { name: 'How it is decided' });
    await trace.getByText('On the allowlist').waitFor();
    await trace.getByText('Allowed, limits bypassed').waitFor();
    await page.waitForURL((url) => url.searchParams.get('path') === '/api/x');
    await page.reload();
    await trace.getByText('“Ticket 900”').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('can be asked of a key by its name', async () => {
    const { page } = await signedIn();
    await page.goto('/limits/explain');
    await page.getByLabel('Class').selectOption('write');
    const field = page.getByLabel('API key');
    await field.fill('Nobody’s key');
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    await page.getByText('No key has this name or id.').waitFor();
    await field.fill('hackathon');
    await page.getByRole('button', { name: 'Explain', exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('api_key_id') === key.id);
    await page
      .getByRole('list', { name: 'How it is decided' })
      .getByRole('link', { name: 'Hackathon' })
      .first()
      .waitFor();
  });

  it('says so where nothing was recorded', async () => {
    const { page } = await signedIn();
    await page.goto('/limits/explain?request_id=never-seen');
    await page.getByText('No decision has this request id').waitFor();
  });
});

describe('a partner that is let in for a week', () => {
  it('is found on the list while it is typed, and its entry is edited, not replaced', async () => {
    const { page } = await signedIn();
    await page.goto('/allowlist');
    const steps = countSteps();
    await steps.click(page.getByRole('button', { name: 'Add entry' }).first());
    await steps.type(page.getByLabel('Address or range'), PARTNER);
    await page.getByText('“Ticket 900”, added by').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('textbox', { name: 'Reason' }).fill('Overwritten?');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('It is on the allowlist already. Edit that entry.').waitFor();
    await steps.click(page.getByRole('button', { name: 'Edit it' }));
    await expect(page.getByRole('textbox', { name: 'Reason' }).inputValue()).resolves.toBe('Ticket 900');
    await steps.click(page.getByRole('radio', { name: 'In seven days' }));
    await steps.click(page.getByRole('button', { name: 'Save' }));
    await page.getByText(`${PARTNER} is updated`).waitFor();
    expect(steps.clicks).toBe(4);
    const [entry] = await read<{ reason: string }[]>(`/v1/admin/rate-limit/allowlist?identifier=${PARTNER}`);
    expect(entry?.reason).toBe('Ticket 900');
  });
});

describe('the inspector', () => {
  it('names the override behind a limit, and starts a new one from it', async () => {
    const { page, complaints } = await signedIn();
    await page.goto(`/limits/inspect?type=ip&identifier=${SCRAPER}`);
    await page.getByText('“a network that scrapes”').waitFor();
    await page.getByRole('button', { name: 'Override limit of Read' }).click();
    const dialog = page.getByRole('dialog', { name: 'Override a limit' });
    await dialog.getByText('Now 6 in 1 d, by override 198.51.100.0/24').waitFor();
    await expect(dialog.getByLabel('Requests').inputValue()).resolves.toBe('6');
    await dialog.getByRole('button', { name: '× 5' }).click();
    await expect(dialog.getByLabel('Requests').inputValue()).resolves.toBe('30');
    await dialog.getByLabel('Requests').fill('2');
    await dialog.getByText('Less than now').waitFor();
    await dialog.getByText(/applied to no request|Refuses /).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('finds a key by its name, with its client limit and its quota', async () => {
    const { page } = await signedIn();
    await page.goto('/limits/inspect');
    await page.getByRole('radio', { name: 'API key' }).click();
    await page.getByRole('textbox', { name: 'API key' }).fill('Hackathon');
    await page.getByRole('button', { name: 'Inspect' }).click();
    await page.waitForURL((url) => url.searchParams.get('identifier') === key.id);
    await page.getByRole('heading', { name: 'All classes' }).waitFor();
    await page.getByRole('heading', { name: 'Monthly quota' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe('on a phone and by keyboard', () => {
  it('the drawer fits, and closes with Escape', async () => {
    const { page } = await signedIn({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await page.goto(`/limits/inspect?type=ip&identifier=${REFUSED}`);
    const button = page.getByRole('button', { name: 'Help', exact: true });
    await button.focus();
    await page.keyboard.press('Enter');
    await drawer(page).getByText(`${REFUSED} is refused in Auth`).waitFor();
    await drawer(page).getByText('Last hour').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const { width } = (await drawer(page).boundingBox()) ?? { width: 0 };
    expect(width).toBe(390);
    const tooWide = await drawer(page).evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(tooWide).toBeLessThanOrEqual(0);
    await page.keyboard.press('Escape');
    await drawer(page).waitFor({ state: 'detached' });
  });
});
