import { describe, expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, signedIn } from '../../fixtures/browser-suite';
import { countSteps } from '../../fixtures/steps';
import { until } from '../../fixtures/until';

const NOISY = '203.0.113.66';
const READ = 'Read, per address, requests';

async function limitOf(name: 'auth' | 'read'): Promise<number> {
  const policies = (await (await product.admin('GET', '/v1/admin/policies')).json()) as {
    classes: Record<string, { ip: { limit: number } }>;
  };
  return policies.classes[name]!.ip.limit;
}

async function prepare(): Promise<void> {
  const check = { class: 'read', ip: NOISY, method: 'GET', path: '/api/reports' };
  await product.admin(
    'POST',
    '/v1/check/batch',
    Array.from({ length: 130 }, () => check),
  );
}
browserSuite({ prepare, signInAt: '/' });

const shownIn = (label: string) => page.getByLabel(label, { exact: true }).inputValue();
const unsaved = () => page.getByRole('list', { name: 'Unsaved changes' });
const save = () => page.getByRole('button', { name: 'Save changes' });

describe('a draft', () => {
  it('survives navigation, and says so when its person comes back', async () => {
    const steps = countSteps();
    await steps.click(page.getByRole('link', { name: 'Limits', exact: true }));
    await steps.type(page.getByLabel('Auth, per address, requests'), '6');
    await steps.click(page.getByRole('link', { name: 'Overview', exact: true }));
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    await steps.click(page.getByRole('link', { name: 'Limits', exact: true }));
    await page.getByText('Draft from').waitFor();
    expect(await shownIn('Auth, per address, requests')).toBe('6');
    expect(await axeFindings(page)).toEqual([]);
    expect(steps.clicks).toBe(3);
  });

  it('survives the back button', async () => {
    await page.getByRole('link', { name: 'Allowlist', exact: true }).click();
    await page.waitForURL('**/allowlist');
    await page.goBack();
    await page.getByText('Draft from').waitFor();
    expect(await shownIn('Auth, per address, requests')).toBe('6');
  });

  it('asks before the page is reloaded, is there afterwards, and is gone once it is discarded', async () => {
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.type());
        void dialog.accept();
      });
    });
    await page.reload();
    expect(await asked).toBe('beforeunload');
    await page.getByText('Draft from').waitFor();
    await page.getByRole('button', { name: 'Discard draft' }).click();
    await save().waitFor({ state: 'detached' });
    expect(await shownIn('Auth, per address, requests')).toBe('10');
    await page.reload();
    await page.getByLabel('Auth, per address, requests').waitFor();
    expect(await page.getByText('Draft from').count()).toBe(0);
  });

  it('of a dialog is not thrown away by Escape, and is back after navigation', async () => {
    await page.goto('/allowlist');
    await page.getByRole('button', { name: 'Add entry' }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Load test of the billing team');
    await page.keyboard.press('Escape');
    await dialog.getByText('Discard what you typed?').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'Cancel' }).waitFor();
    await page.goBack();
    await dialog.waitFor({ state: 'detached' });
    await page.goForward();
    await page.getByRole('button', { name: 'Add entry' }).first().click();
    await dialog.getByText('Draft from').waitFor();
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Load test of the billing team');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Add entry' }).first().click();
    expect(await dialog.getByText('Draft from').count()).toBe(0);
    await page.keyboard.press('Escape');
  });
});

describe('values that cannot be saved', () => {
  it('are named at their field with the range, and in the bar with a way to them', async () => {
    await page.goto('/limits');
    await page.getByLabel('Write, per user, requests').fill('x');
    await page.getByLabel('Auth, per user, window', { exact: true }).fill('0');
    await save().click();
    await page.getByText('Enter a window from 1 s to 31 d, in whole seconds.').waitFor();
    await page.getByText('Enter a whole number from 0 to 1,000,000,000.').waitFor();
    await page.getByText('Enter a reason.').waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
    await until(async () => (await focused()) === 'Auth, per user, window');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Write, per user, requests' }).click();
    await until(async () => (await focused()) === 'Write, per user, requests');
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
  });
});

describe('a limit', () => {
  it('is changed after a dry-run, and taken back, in four clicks and two sentences', async () => {
    // The minute has to be over before it can be replayed.
    await until(async () => {
      const trial = { classes: { read: { ip: { limit: 50 } } } };
      const run = (await (await product.admin('POST', '/v1/admin/policies/dry-run', trial)).json()) as {
        limits: { requests: number }[];
      };
      return (run.limits[0]?.requests ?? 0) >= 130;
    });
    await page.goto('/');
    const steps = countSteps();
    await steps.click(page.getByRole('link', { name: 'Limits', exact: true }));
    await steps.type(page.getByLabel(READ), '50');
    await unsaved().getByText('Last hour: 80 refused instead of 30 (of 130 units).').waitFor();
    await unsaved().getByRole('button', { name: NOISY }).waitFor();
    await steps.type(page.getByLabel('Reason'), 'Reports are costly');
    await steps.click(save());
    await page.getByText('Policies saved').hover();
    expect(await limitOf('read')).toBe(50);
    await steps.click(page.getByRole('button', { name: 'Undo' }));
    await page.getByText('The limits were restored.').waitFor();
    await until(async () => (await shownIn(READ)) === '100');
    expect(await limitOf('read')).toBe(100);
    expect(steps.clicks).toBeLessThanOrEqual(4);
    expect(steps.sentences).toBe(2);
  });

  it('leads from the dry-run to the help for whom it would refuse', async () => {
    await page.getByLabel(READ).fill('50');
    await unsaved().getByRole('button', { name: NOISY }).click();
    await page.getByRole('dialog', { name: `Help ${NOISY}` }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
  });

  it('shows its last hour, and is tried instead of saved in three clicks', async () => {
    await page.goto('/');
    const steps = countSteps();
    await steps.click(page.getByRole('link', { name: 'Limits', exact: true }));
    const nearest = page.getByRole('list', { name: 'Read, per address, nearest callers' });
    await nearest.getByRole('link', { name: NOISY }).waitFor();
    await page.getByRole('img', { name: 'Read, per address, last hour: 130 units, at most 130 in a minute' }).waitFor();
    expect(await nearest.getByRole('link', { name: NOISY }).getAttribute('href')).toMatch(
      /^\/limits\/inspect\?type=ip/,
    );
    await page.getByLabel('Auth, per user, requests').waitFor();
    expect(await page.getByText('Not used in the last 60 whole minutes.').count()).toBeGreaterThan(8);
    expect(await axeFindings(page)).toEqual([]);
    await steps.type(page.getByLabel(READ), '50');
    await unsaved().getByText('Last hour: 80 refused instead of 30 (of 130 units).').waitFor();
    await unsaved().getByRole('button', { name: NOISY }).waitFor();
    await steps.type(page.getByLabel('Reason'), 'Whom would 50 hit?');
    await steps.click(page.getByRole('button', { name: 'Try as candidate…' }));
    const dialog = page.getByRole('dialog', { name: 'Try a limit' });
    await expect.poll(() => dialog.getByLabel('Requests').inputValue()).toBe('50');
    expect(await dialog.getByLabel('Reason').inputValue()).toBe('Whom would 50 hit?');
    await steps.click(dialog.getByRole('button', { name: 'Try', exact: true }));
    await page.getByText('50 in 1 min is the candidate of Read per address now').waitFor();
    expect(steps.clicks).toBe(3);
    // What was tried is no unsaved change any more.
    await until(async () => (await shownIn(READ)) === '100');
    expect(await limitOf('read')).toBe(100);
    await save().waitFor({ state: 'detached' });
    await product.admin('DELETE', '/v1/admin/candidates', { place: 'classes.read.ip' });
  });

  it('has its reason in the audit log', async () => {
    const [, changed] = (await (await product.admin('GET', '/v1/admin/audit?action=policies')).json()) as {
      reason: string | null;
    }[];
    expect(changed?.reason).toBe('Reports are costly');
  });
});

describe('two people who edit the same policies', () => {
  it('are told apart: both values stand at the field, and either can be saved', async () => {
    await page.goto('/limits');
    await page.getByLabel(READ).fill('60');
    await page.getByLabel('Reason').fill('Quiet hours');
    const other = await signedIn();
    await other.page.goto('/limits');
    await other.page.getByLabel(READ).fill('70');
    await other.page.getByLabel('Reason').fill('Fewer reports');
    await other.page.getByRole('button', { name: 'Save changes' }).click();
    await other.page.getByText('Policies saved').waitFor();

    await save().click();
    await page.getByText('Someone else changed this in the meantime').waitFor();
    await page.getByText('Saved by someone else in the meantime: 70 requests').waitFor();
    expect(await shownIn(READ)).toBe('60');
    expect(await limitOf('read')).toBe(70);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Take this value' }).click();
    expect(await shownIn(READ)).toBe('70');
    await page.getByLabel(READ).fill('65');
    await save().click();
    await page.getByText('Policies saved').waitFor();
    expect(await limitOf('read')).toBe(65);
  });
});

describe('at 390 px, by keyboard', () => {
  it('the toast covers neither Save nor Discard, and rules are moved by Alt and an arrow', async () => {
    const phone = await signedIn({ viewport: { width: 390, height: 844 } });
    await phone.page.goto('/limits');
    await phone.page.getByLabel(READ).fill('66');
    await phone.page.getByLabel('Reason').fill('One more');
    await phone.page.keyboard.press('Enter');
    await phone.page.getByText('Policies saved').waitFor();
    await phone.page.getByLabel(READ).fill('67');
    const bar = phone.page.getByRole('button', { name: 'Save changes' });
    await bar.waitFor();
    const box = async (locator: typeof bar) => (await locator.boundingBox())!;
    const toast = phone.page.locator('[data-sonner-toast]').first();
    await until(async () => {
      const [button, shown] = [await box(bar), await box(toast)];
      return shown.y + shown.height <= button.y;
    });
    expect(await axeFindings(phone.page)).toEqual([]);
    await phone.page.getByRole('button', { name: 'Discard', exact: true }).click();

    await product.admin('PUT', '/v1/admin/route-rules', [
      { method: '*', path: '/api/first', class: 'sensitive' },
      { method: '*', path: '/api/second', class: 'read' },
    ]);
    await phone.page.goto('/limits?tab=routes');
    await phone.page.getByLabel('Path of rule 2').focus();
    await phone.page.keyboard.press('Alt+ArrowUp');
    await phone.page.getByText('Now rule 1.').waitFor();
    expect(await phone.page.getByLabel('Path of rule 1').inputValue()).toBe('/api/second');
    expect(await axeFindings(phone.page)).toEqual([]);
    expect(phone.complaints).toEqual([]);
  });
});

it('the console was silent, except for the refusal that was provoked', () => {
  expect(complaints.filter((line) => !line.includes('412'))).toEqual([]);
});
