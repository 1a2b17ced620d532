import { describe, expect, it } from 'vitest';
import { browserSuite, complaints, page, product } from '../../fixtures/browser-suite';
import { expectGoodLooks } from '../../fixtures/looks';

const PHONE = '+4915112345678';

browserSuite({ signInAt: '/limits#named-limits' });

const dialog = () => page.getByRole('dialog');
const check = async () => {
  const body = { limits: [{ name: 'sms', subject: PHONE }] };
  return (await (await product.admin('POST', '/v1/check', body)).json()) as { allowed: boolean; limit_name?: string };
};

describe('an owner who limits text messages', () => {
  it('creates the limit from a template, and reads what it means', async () => {
    await page.getByRole('button', { name: 'Use template: SMS codes by phone number' }).click();
    const sentence = 'At most 1 in any 30 seconds and 5 codes in any hour, for each subject.';
    await dialog().getByText(sentence).waitFor();
    await expectGoodLooks(page);
    await dialog().getByRole('button', { name: 'Create limit' }).click();
    await page.getByRole('list', { name: 'Named limits' }).getByText(sentence).waitFor();
    await expectGoodLooks(page);
  });

  it('finds a phone number that is refused, and resets it', async () => {
    expect((await check()).allowed).toBe(true);
    expect(await check()).toMatchObject({ allowed: false, limit_name: 'sms' });
    await page.goto('/limits/inspect');
    await page.getByRole('radio', { name: 'Subject of a named limit' }).click();
    await page.getByRole('textbox', { name: 'Subject of a named limit' }).fill(PHONE);
    await page.getByRole('button', { name: 'Inspect' }).click();
    await page.getByText('1 of 1 codes in 30 s').waitFor();
    await page.getByText('Limit sms').first().waitFor();
    await expectGoodLooks(page);
    await page.getByRole('button', { name: 'Reset sms' }).click();
    await dialog().getByText('Clears 2 counters.').waitFor();
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('On the phone with them');
    await dialog().getByRole('button', { name: 'Reset', exact: true }).click();
    await page.getByText('0 of 1 codes in 30 s').waitFor();
    expect((await check()).allowed).toBe(true);
  });

  it('tries other numbers instead of saving them, and charts the limit alone', async () => {
    await page.goto('/limits#named-limits');
    await page.getByRole('button', { name: 'Actions for sms' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    const tryThem = dialog().getByRole('button', { name: 'Try as candidate…' });
    await expect.poll(() => tryThem.isDisabled()).toBe(true);
    await dialog().getByLabel('Limit, window 2, codes').fill('3');
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('Are 3 an hour enough?');
    await dialog()
      .getByText(/in the last hour/i)
      .waitFor();
    await tryThem.click();
    const trial = page.getByRole('dialog', { name: 'Try a limit' });
    await expect.poll(() => trial.getByLabel('Limit, window 2, codes').inputValue()).toBe('3');
    expect(await trial.getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('Are 3 an hour enough?');
    await trial.getByRole('button', { name: 'Try', exact: true }).click();
    await page.getByText('1 in 30 s, 3 in 1 h is the candidate of sms now').waitFor();
    await page.goto('/');
    await page.getByLabel('Decisions of', { exact: true }).selectOption('sms');
    await page.waitForURL(/limit=sms/);
    await page.getByRole('slider', { name: /^Decisions of sms: Allowed 2, Refused 1\./ }).waitFor();
    await page.getByRole('slider', { name: /^Codes: Counted codes 2, Refused codes 1\./ }).waitFor();
    await expectGoodLooks(page);
    await page.getByRole('link', { name: 'Refused 1' }).click();
    await page.getByText(/^1 decision\b/).waitFor();
  });

  it('removes the limit after a look at who names it', async () => {
    await page.goto('/limits#named-limits');
    await page.getByRole('button', { name: 'Actions for sms' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await dialog().getByText('No route rule and no API key names it. Checks that name it get 400.').waitFor();
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('The provider limits it now');
    await dialog().getByRole('button', { name: 'Remove limit' }).click();
    await page.getByRole('button', { name: 'Undo' }).hover();
    await page.getByText('No named limits').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('list', { name: 'Named limits' }).getByText('sms').first().waitFor();
  });

  it('overrides the limit for a subject, from the limit and from the inspector', async () => {
    await page.goto('/limits?tab=named');
    await page.getByRole('button', { name: 'Actions for sms' }).click();
    await page.getByRole('menuitem', { name: 'Override for a subject…' }).click();
    await dialog().getByText('The limit: at most 1 in any 30 seconds and 5 codes in any hour.').waitFor();
    await dialog().getByRole('textbox', { name: 'Subject', exact: true }).fill(PHONE);
    await dialog().getByLabel('Limit, window 1, codes').fill('3');
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('Their network loses codes');
    await expectGoodLooks(page);
    await dialog().getByRole('button', { name: 'Save' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: '1 subject' }).click();
    await page.waitForURL('**/limits/overrides?limit_name=sms');
    await page.getByText('3 in 30 s, 5 in 1 h').first().waitFor();
    await page.goto(`/limits/inspect?type=subject&identifier=${encodeURIComponent(PHONE)}`);
    await page.getByRole('button', { name: 'Override sms' }).click();
    await dialog().getByText('Already overridden in sms').waitFor();
    expect(await dialog().getByRole('textbox', { name: 'Subject', exact: true }).inputValue()).toBe(PHONE);
    await page.keyboard.press('Escape');
  });

  it('tries other numbers of the limit as a candidate', async () => {
    await page.goto('/limits?tab=named');
    await page.getByRole('button', { name: 'Actions for sms' }).click();
    await page.getByRole('menuitem', { name: 'Try as candidate…' }).click();
    await dialog().getByText('Live: at most 1 in any 30 seconds and 5 codes in any hour.').waitFor();
    await dialog().getByLabel('Limit, window 1, codes').fill('2');
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('Are two enough?');
    await expectGoodLooks(page);
    await dialog().getByRole('button', { name: 'Try' }).click();
    await page.getByText('2 in 30 s, 5 in 1 h is the candidate of sms now').waitFor();
    expect(complaints).toEqual([]);
  });
});
