import { describe, expect, it } from 'vitest';
import { axeFindings } from '../fixtures/browser';
import { browserSuite, complaints, page, product } from '../fixtures/browser-suite';
import { makeEndingSoon } from '../fixtures/ends-soon';
import { until } from '../fixtures/until';

let key: { id: string; secret: string };

const NOISY = '203.0.113.80';

/** Asks for decisions about one address; answers how many were allowed. */
async function checks(body: Record<string, unknown>, times: number): Promise<number> {
  const answer = await product.admin(
    'POST',
    '/v1/check/batch',
    Array.from({ length: times }, () => body),
  );
  return ((await answer.json()) as { allowed: boolean }[]).filter((decision) => decision.allowed).length;
}

/** Calls until the answer is as it should be: statistics are written about a second behind. */
function untilAnswer(path: string, holds: (answer: never) => boolean): Promise<void> {
  return until(async () => holds((await (await product.admin('GET', path)).json()) as never));
}

async function prepare(): Promise<void> {
  await product.admin('PATCH', '/v1/admin/policies', { tiers: { free: 20 } });
  key = await (await product.admin('POST', '/v1/admin/api-keys', { name: 'billing', tier: 'free' })).json();
  expect(await checks({ class: 'read', ip: NOISY, method: 'GET', path: '/api/reports' }, 130)).toBe(100);
  expect(await checks({ class: 'read', api_key: key.secret }, 17)).toBe(17);
  const override = { type: 'ip', identifier: '198.51.100.4', class: 'read', limit: 7, window_seconds: 60 };
  const path = '/v1/admin/rate-limit/overrides';
  await makeEndingSoon(async (expires_at) => {
    const answer = await product.admin('PUT', path, { ...override, reason: 'short lived', expires_at });
    return answer.status === 200;
  });
}
browserSuite({ prepare, signInAt: '/' });

describe('the inspector', () => {
  it('shows the last refusals of the subject it inspects', async () => {
    await page.goto(`/limits/inspect?type=ip&identifier=${NOISY}`);
    await page.getByText('/api/reports').first().waitFor();
    await page.getByText('Address limit').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe("a key's own page", () => {
  it('marks the threshold that was reached, with a forecast and how sure it is', async () => {
    await untilAnswer('/v1/admin/audit?action=quota.threshold', (records: unknown[]) => records.length === 1);
    await page.goto(`/keys/${key.id}`);
    await page.getByText('80% reached').waitFor();
    await page.getByText(/so this is a guess/).waitFor();
    await page.getByText('used 80% of its quota').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('edits the key; a change by someone else is shown, and nothing typed is lost', async () => {
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save' }).waitFor();
    await dialog.getByLabel('Name', { exact: true }).fill('billing, nightly');
    await dialog.getByLabel('Reason').fill('It runs at night');
    await product.admin('PATCH', `/v1/admin/api-keys/${key.id}`, { user_id: 'ada' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    const alert = dialog.getByRole('alert').filter({ hasText: 'Someone else changed this in the meantime' });
    await alert.getByText('Nothing was saved, and what you typed is still here').waitFor();
    await expect(dialog.getByLabel('Name', { exact: true }).inputValue()).resolves.toBe('billing, nightly');
    await page.waitForFunction(() => document.querySelector<HTMLInputElement>('[name="user_id"]')?.value === 'ada');
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'billing, nightly' }).waitFor();
    const now = (await (await product.admin('GET', `/v1/admin/api-keys/${key.id}`)).json()) as Record<string, unknown>;
    expect(now).toMatchObject({ name: 'billing, nightly', user_id: 'ada' });
  });
});

describe('the decisions', () => {
  it('are picked from the histogram by keyboard alone, and the list is narrowed to the bar', async () => {
    await page.goto('/decisions');
    const bars = page.getByRole('slider', { name: /Refusals and bypasses/ });
    await bars.focus();
    await page.keyboard.press('End');
    for (let turn = 0; turn < 5; turn += 1) {
      if (!(await bars.getAttribute('aria-valuetext'))?.endsWith(' 0 decisions')) break;
      await page.keyboard.press('ArrowLeft');
    }
    const [, count] = /, (\d+) decisions$/.exec((await bars.getAttribute('aria-valuetext')) ?? '') ?? [];
    expect(Number(count)).toBeGreaterThan(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.has('from') && url.searchParams.has('to'));
    // Whichever minute was picked: the list holds what was decided in it, and nothing else.
    const { searchParams } = new URL(page.url());
    const range = new URLSearchParams({ from: searchParams.get('from') ?? '', to: searchParams.get('to') ?? '' });
    const decided = (await (await product.admin('GET', `/v1/admin/decisions?${range}`)).json()) as {
      path: string | null;
    }[];
    expect(decided.length).toBeGreaterThan(0);
    const seen = decided.find(({ path }) => path !== null)?.path ?? '203.0.113.';
    await page.getByRole('table').getByText(seen).first().waitFor();
  });

  it('are listed for the range that is chosen', async () => {
    await page.goto('/decisions');
    const asked = page.waitForRequest((request) => {
      const url = new URL(request.url());
      const from = url.searchParams.get('from');
      return url.pathname === '/v1/admin/decisions' && from !== null && Date.now() - Date.parse(from) < 16 * 60_000;
    });
    await page
      .getByRole('radio', { name: '15m' })
      .or(page.getByRole('button', { name: '15m' }))
      .first()
      .click();
    await asked;
  });
});

describe('overrides', () => {
  it('that have expired are on a tab of their own', async () => {
    await untilAnswer('/v1/admin/rate-limit/overrides?status=expired', (rows: unknown[]) => rows.length === 1);
    await page.goto('/limits/overrides');
    await page.getByText('No overrides: the policies apply to everyone').waitFor();
    await page.getByRole('tab', { name: 'Expired' }).click();
    await page.getByText('short lived').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });
});

describe('the command palette', () => {
  it('resets the counters of an address that was typed', async () => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(/Search pages/).fill(NOISY);
    await page.getByRole('option', { name: /Reset counters of/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Reset counters' });
    await dialog.getByText(NOISY).waitFor();
    await dialog.getByLabel('Reason').fill('On the phone with them');
    await dialog.getByRole('button', { name: 'Reset', exact: true }).click();
    await page.getByText(`Counters of ${NOISY} are clear`).waitFor();
  });

  it('changes the tier of a key', async () => {
    await page.keyboard.press('Control+k');
    await page.getByPlaceholder(/Search pages/).fill('tier billing');
    await page.getByRole('option', { name: /Change tier of billing/ }).click();
    const dialog = page.getByRole('dialog', { name: /Change tier of/ });
    await dialog.getByText('Now: Free').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.waitForURL((url) => !url.searchParams.has('do'));
  });
});

describe('a dry-run', () => {
  it('says what the change would have done before it is saved, with its method, and nothing is saved', async () => {
    // The minute has to be over before it can be replayed: most of it was while the rest of this file ran.
    const trial = { classes: { read: { ip: { limit: 50 } } } };
    await until(async () => {
      const run = (await (await product.admin('POST', '/v1/admin/policies/dry-run', trial)).json()) as {
        limits: { requests: number }[];
      };
      return (run.limits[0]?.requests ?? 0) >= 130;
    });
    await page.goto('/limits');
    await page.getByLabel('Read, per address, requests').fill('50');
    await page
      .getByRole('list', { name: 'Unsaved changes' })
      .getByText('Last hour: 80 refused instead of 30 (of 130 units).')
      .waitFor();
    await page.getByRole('button', { name: 'Details' }).click();
    await page.getByRole('list', { name: 'Refused most by Read per address' }).getByText(NOISY).waitFor();
    await page.getByText('Method.', { exact: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Save changes' }).waitFor({ state: 'detached' });
  });
});

it('the console was silent, except for the refusal that was provoked', () => {
  expect(complaints.filter((line) => !line.includes('412'))).toEqual([]);
});
