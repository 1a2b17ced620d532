import { beforeEach, describe, expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product } from '../../fixtures/browser-suite';
import { countSteps, type Steps } from '../../fixtures/steps';
import { until } from '../../fixtures/until';

const SCRAPER = '203.0.113.66';
let key: { id: string };
let steps: Steps;

const admin = async (method: string, path: string, body?: unknown) => {
  const answer = await product.admin(method, path, body);
  expect(answer.ok, `${method} ${path}: ${answer.status}`).toBe(true);
  return answer.status === 204 ? undefined : answer.json();
};

async function prepare(): Promise<void> {
  key = (await admin('POST', '/v1/admin/api-keys', { name: 'Store finder', tier: 'free' })) as { id: string };
  await admin('PATCH', `/v1/admin/api-keys/${key.id}`, { name: 'Store locator' });
  await admin('POST', `/v1/admin/api-keys/${key.id}/rotate`, {});
  await admin('PATCH', '/v1/admin/policies', { classes: { auth: { ip: { limit: 8 } } } });
  await admin('POST', '/v1/admin/rate-limit/allowlist', { type: 'ip', identifier: '198.51.100.7', reason: 'ticket 4' });
  await admin(
    'POST',
    '/v1/check/batch',
    Array(12).fill({ class: 'auth', ip: SCRAPER, method: 'POST', path: '/login' }),
  );
  await until(async () => ((await admin('GET', '/v1/admin/decisions?limit=1')) as unknown[]).length === 1);
}
browserSuite({ prepare, signInAt: '/' });

beforeEach(() => {
  steps = countSteps();
});

const changes = () => page.getByRole('table');

describe('what was done to a key last week', () => {
  it('is seen with two clicks from its page, in sentences, with the names of that time', async () => {
    await page.goto(`/keys/${key.id}`);
    await steps.click(page.getByRole('link', { name: 'All changes' }));
    await page.getByRole('heading', { level: 1, name: 'Changes to Store locator' }).waitFor();
    await steps.click(page.getByRole('radio', { name: '7 days' }));
    await page.waitForURL(/period=7d/);
    await changes().getByText('rotated the secret of Store locator').waitFor();
    await changes().getByText('renamed the key Store finder to Store locator').waitFor();
    await changes().getByText('created the key Store finder (now Store locator)').waitFor();
    expect(await changes().getByText('changed the limits').count()).toBe(0);
    expect(steps.clicks, steps.taken.join('\n')).toBeLessThanOrEqual(2);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('is found by part of a name, in the whole log', async () => {
    await page.goto('/audit');
    await steps.type(page.getByRole('searchbox'), 'locat');
    await changes().getByText('rotated the secret of Store locator').waitFor();
    await page.waitForURL(/q=locat/);
    await changes().getByText('to the allowlist').waitFor({ state: 'detached' });
    expect(steps.clicks).toBe(0);
  });
});

describe('the audit log', () => {
  it('is narrowed to a person and to a kind of change', async () => {
    await page.goto('/audit');
    await steps.click(page.getByRole('button', { name: 'Change', exact: true }));
    await steps.click(page.getByRole('menuitemradio', { name: 'Allowlist' }));
    await changes().getByText('added 198.51.100.7 to the allowlist').waitFor();
    await changes().getByText('created the key').waitFor({ state: 'detached' });
    await steps.click(page.getByRole('button', { name: 'Person', exact: true }));
    await steps.click(page.getByRole('menuitemradio', { name: 'bootstrap' }));
    await page.waitForURL((url) => url.searchParams.get('actor') === 'bootstrap');
    await changes().getByText('added 198.51.100.7 to the allowlist').waitFor();
    expect(steps.clicks).toBe(4);
  });

  it('shows of a change of the limits only what changed, and takes it back', async () => {
    await page.goto('/audit?action=policies,route_rules');
    const row = changes().getByRole('row').filter({ hasText: 'Auth, per address, from 10 in 1 min to 8 in 1 min' });
    await steps.click(row.getByRole('button', { name: /Details of change/ }));
    const sheet = page.getByRole('dialog');
    await sheet.getByText('8 in 1 min', { exact: true }).waitFor();
    expect(await sheet.getByRole('definition').filter({ hasText: ' in 1 ' }).count()).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    await steps.click(sheet.getByRole('button', { name: 'Undo this change' }));
    await changes().getByText('undid change').waitFor();
    const { classes } = (await admin('GET', '/v1/admin/policies')) as { classes: { auth: { ip: { limit: number } } } };
    expect(classes.auth.ip.limit).toBe(10);
    expect(steps.clicks, steps.taken.join('\n')).toBe(2);
  });
});

describe('who is being refused', () => {
  it('is where the figures of the overview lead, a line for each caller', async () => {
    await page.goto('/');
    await steps.click(page.getByRole('link', { name: /Auth refusals/ }));
    await page.waitForURL((url) => url.pathname === '/decisions' && url.searchParams.get('class') === 'auth');
    await steps.click(page.getByRole('radio', { name: 'By caller' }));
    const line = page.getByRole('table').getByRole('row').filter({ hasText: SCRAPER });
    // Each decision has a line of its own until then.
    await until(async () => (await line.count()) === 1);
    await line.getByText('Auth').waitFor();
    expect(steps.clicks, steps.taken.join('\n')).toBe(2);
    expect(await axeFindings(page)).toEqual([]);
    await steps.click(line.getByRole('button', { name: /Show each decision/ }));
    await page.waitForURL((url) => url.searchParams.get('ip') === SCRAPER && !url.searchParams.has('by'));
    await page.getByRole('table').getByText(SCRAPER).first().waitFor();
  });

  it('is where its bars lead, by keyboard', async () => {
    await page.goto('/');
    const bars = page.getByRole('slider', { name: /^Refused:.*Enter opens/ });
    await bars.focus();
    await steps.press(page, 'End');
    for (let turn = 0; turn < 10; turn += 1) {
      if (!(await bars.getAttribute('aria-valuetext'))?.endsWith(' 0 decisions')) break;
      await steps.press(page, 'ArrowLeft');
    }
    await steps.press(page, 'Enter');
    await page.waitForURL((url) => url.pathname === '/decisions' && url.searchParams.has('from'));
    await page.getByRole('table').getByText(SCRAPER).first().waitFor();
  });

  it('is told whole by a click on a decision, and any of its values filters', async () => {
    await page.goto('/decisions');
    const row = page.getByRole('table').getByRole('row').filter({ hasText: SCRAPER }).first();
    await steps.click(row.getByRole('cell').first());
    const sheet = page.getByRole('dialog', { name: /Decision \d+/ });
    await sheet.getByText(/^Refused: \d+ of \d+ requests in 1 min were used\.$/).waitFor();
    await sheet.getByRole('link', { name: 'Explain it now' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await steps.click(sheet.getByTitle(`Only ${SCRAPER}`).first());
    await sheet.waitFor({ state: 'detached' });
    await page.waitForURL((url) => url.searchParams.get('ip') === SCRAPER);
    await page.getByRole('button', { name: 'Remove the filter Address' }).click();
    await page.waitForURL((url) => !url.searchParams.has('ip'));
    expect(steps.clicks).toBe(2);
  });
});

it('the console was silent', () => {
  expect(complaints).toEqual([]);
});
