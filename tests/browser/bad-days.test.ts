import { describe, expect, it } from 'vitest';
import { axeFindings, signIn } from '../fixtures/browser';
import { browserSuite, complaints, page, product, signedIn, visitor } from '../fixtures/browser-suite';

const AUTH_LIMIT = 'Auth, per address, requests';
const READ_LIMIT = 'Read, per address, requests';

/** The policies as they are, by the API. */
async function limitOf(name: 'auth' | 'read'): Promise<number> {
  const policies = (await (await product.admin('GET', '/v1/admin/policies')).json()) as {
    classes: Record<string, { ip: { limit: number } }>;
  };
  return policies.classes[name]!.ip.limit;
}

browserSuite({ signInAt: '/limits' });

describe('two administrators who change the same policy', () => {
  it('are told apart: nothing is saved over the other, nothing typed is lost', async () => {
    await page.getByLabel(AUTH_LIMIT).fill('15');
    await page.getByLabel('Reason').fill('Sign-in is slow');
    await product.admin('PATCH', '/v1/admin/policies', {
      classes: { auth: { ip: { limit: 12 } }, read: { ip: { limit: 90 } } },
    });
    await page.getByRole('button', { name: 'Save changes' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Someone else changed this in the meantime' });
    await alert.getByText('Nothing was saved, and what you typed is still here').waitFor();
    expect(await limitOf('auth')).toBe(12);
    await expect(page.getByLabel(AUTH_LIMIT).inputValue()).resolves.toBe('15');
  });

  it('see what the other one saved, and save on top of it', async () => {
    await page.getByText('Saved by someone else in the meantime: 12 requests').waitFor();
    await expect(page.getByLabel(READ_LIMIT).inputValue()).resolves.toBe('90');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Policies saved').waitFor();
    expect(await limitOf('auth')).toBe(15);
    expect(await limitOf('read')).toBe(90);
  });
});

describe('two administrators who change the route rules', () => {
  const rulesNow = async () => (await product.admin('GET', '/v1/admin/route-rules')).json();
  const theirs = [{ method: 'POST', path: '/api/orders', class: 'sensitive', cost: 2 }];

  it('are told apart, see what the other one saved, and save on top of it', async () => {
    await page.goto('/limits');
    await page.getByRole('tab', { name: 'Route rules' }).click();
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByLabel('Path of rule 1').fill('/api/transfers/*');
    await page.getByLabel('Reason').fill('Transfers are sensitive');
    await product.admin('PUT', '/v1/admin/route-rules', theirs);
    await page.getByRole('button', { name: 'Save changes' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'Someone else changed this in the meantime' });
    await alert.getByText('Nothing was saved, and what you typed is still here').waitFor();
    expect(await rulesNow()).toEqual(theirs);
    await page
      .getByRole('region', { name: 'Saved by someone else in the meantime' })
      .getByText('/api/orders')
      .waitFor();
    await expect(page.getByLabel('Path of rule 1').inputValue()).resolves.toBe('/api/transfers/*');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Route rules saved').waitFor();
    expect(await rulesNow()).toMatchObject([{ path: '/api/transfers/*' }]);
  });
});

describe('a refusal of our own', () => {
  it('says how long to wait, and the page recovers by itself afterwards', async () => {
    await page.route('**/v1/admin/rate-limit/allowlist?*', (route) =>
      route.fulfill({
        status: 429,
        headers: { 'Retry-After': '30', 'Content-Type': 'application/json' },
        body: JSON.stringify({ error: 'rate_limit_exceeded', error_description: 'The limit is reached.' }),
      }),
    );
    await page.goto('/allowlist');
    await page.getByText('Too many requests').waitFor();
    await page.getByText('Try again in 30 s').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.unroute('**/v1/admin/rate-limit/allowlist?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('Everyone is limited').waitFor();
  });
});

describe('a slow server', () => {
  it('is called slow on a page that renews itself, and no longer once it answers', async () => {
    await page.goto('/');
    await page.getByRole('region', { name: 'Health' }).waitFor();
    const waiting: (() => void)[] = [];
    await page.route('**/v1/admin/overview', async (route) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      // Given up by the page, or let through already.
      await route.continue().catch(() => undefined);
    });
    await page.getByText('the server is slow').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.unroute('**/v1/admin/overview');
    for (const go of waiting) go();
    await page.getByText('the server is slow').waitFor({ state: 'detached' });
  });
});

describe('a lost server', () => {
  it('is said on the inspector, with the age of what is shown, until it is back', async () => {
    await page.goto('/limits/inspect?type=ip&identifier=203.0.113.7');
    await page.getByText('Not refused in the last 30 days.').waitFor();
    await page.context().setOffline(true);
    await page.getByText(/connection lost, trying again, as of/).waitFor();
    await page.getByRole('meter', { name: 'Read limit' }).waitFor();
    await page.context().setOffline(false);
    await page.getByText(/connection lost/).waitFor({ state: 'detached' });
  });

  it('is not asked while nobody looks', async () => {
    const { page: own } = await signedIn();
    let asked = 0;
    own.on('request', (request) => {
      if (request.url().includes('/rate-limit/counters')) asked += 1;
    });
    await own.clock.install();
    await own.goto('/limits/inspect?type=ip&identifier=203.0.113.7');
    await own.getByText('Not refused in the last 30 days.').waitFor();
    const turn = (to: 'hidden' | 'visible') =>
      own.evaluate((state) => {
        Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
        document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
      }, to);
    // Requests are reported in their order: when this one is answered, those before it were counted.
    const settle = () => own.evaluate(() => fetch('/healthz').then((answer) => answer.status));
    await turn('hidden');
    await settle();
    const before = asked;
    await own.clock.runFor(20_000);
    await settle();
    expect(asked).toBe(before);
    const again = own.waitForRequest((request) => request.url().includes('/rate-limit/counters'));
    await turn('visible');
    await own.clock.runFor(4_000);
    await again;
  });
});

describe('a viewer', () => {
  it('sees everything, is told which role a change needs, and can change nothing', async () => {
    const password = 'a viewer of everything';
    await product.admin('POST', '/v1/admin/members', { email: 'viewer@example.com', role: 'viewer', password });
    const other = await visitor();
    await signIn(other.page, '/limits', 'viewer@example.com', password);
    await expect(other.page.getByLabel(AUTH_LIMIT).isDisabled()).resolves.toBe(true);
    await other.page.getByText('changes need the owner role').waitFor();
    for (const [path, button] of [
      ['/allowlist', 'Add entry'],
      ['/keys', 'New key'],
      ['/limits/overrides', 'Add override'],
    ] as const) {
      await other.page.goto(path);
      const action = other.page.getByRole('button', { name: button }).first();
      await action.waitFor();
      await expect(action.isDisabled()).resolves.toBe(true);
    }
    expect(await axeFindings(other.page)).toEqual([]);
    expect(other.complaints).toEqual([]);
  });
});

it('the console was complained to about what was provoked only', () => {
  const provoked = /412|429|ERR_INTERNET_DISCONNECTED/;
  expect(complaints.filter((line) => !provoked.test(line))).toEqual([]);
});
