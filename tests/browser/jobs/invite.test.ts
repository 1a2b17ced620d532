import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFindings, submitSignIn } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, signedIn, visitor } from '../../fixtures/browser-suite';
import { countSteps } from '../../fixtures/steps';

const PHONE = { viewport: { width: 390, height: 844 } };
const PASSWORD = 'a password of my own';

browserSuite({ signInAt: '/settings?tab=members' });

interface MemberAnswer {
  email: string;
  last_sign_in_at: string | null;
}

const linkIn = async (at: Page) => (await at.getByText(/\/invitation#sli_/).textContent()) ?? '';
const dialogEmail = (at: Page) => at.getByRole('dialog').getByLabel('E-mail');

async function lastSignInOf(email: string): Promise<string | null> {
  const members = (await (await product.admin('GET', '/v1/admin/members')).json()) as MemberAnswer[];
  return members.find((member) => member.email === email)?.last_sign_in_at ?? null;
}

const acceptIn = async (at: Page, link: string, password = PASSWORD) => {
  await at.goto(link);
  await at.getByLabel('New password').fill(password);
  await at.getByRole('button', { name: 'Set password and sign in' }).click();
};

describe('inviting a colleague', () => {
  it('takes three clicks and an address, and the colleague one password', async () => {
    const steps = countSteps();
    await steps.click(page.getByRole('button', { name: 'Invite member' }));
    expect(await axeFindings(page)).toEqual([]);
    await steps.type(dialogEmail(page), 'grace@example.com');
    await steps.click(page.getByRole('button', { name: 'Invite', exact: true }));
    await page.getByText('Sluice sends no e-mail').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const link = await linkIn(page);
    await steps.click(page.getByRole('button', { name: 'Copy link' }));
    expect([steps.clicks, steps.sentences], steps.taken.join('\n')).toEqual([3, 1]);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    const row = page.getByRole('row', { name: /grace@example\.com/ });
    await row.getByText('invited', { exact: true }).waitFor();

    const { page: grace, complaints: hers } = await visitor(PHONE);
    const taken = countSteps();
    await grace.goto(link);
    await grace.getByText('Your role: Viewer.').waitFor();
    expect(new URL(grace.url()).hash).toBe('');
    expect(await grace.evaluate(() => document.activeElement?.getAttribute('autocomplete'))).toBe('new-password');
    expect(await axeFindings(grace)).toEqual([]);
    await taken.type(grace.getByLabel('New password'), PASSWORD);
    await taken.click(grace.getByRole('button', { name: 'Set password and sign in' }));
    await grace.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect([taken.clicks, taken.sentences]).toEqual([1, 1]);
    expect(hers).toEqual([]);

    // What was done last is written a moment later.
    await expect.poll(() => lastSignInOf('grace@example.com')).not.toBeNull();
    await page.reload();
    await row.getByText(/^signed in/).waitFor();
    expect(complaints).toEqual([]);
  });

  it('tells plainly of a link that was used, and of a page without one', async () => {
    const made = await product.admin('POST', '/v1/admin/members', { email: 'used@example.com', role: 'viewer' });
    const { invitation } = (await made.json()) as { invitation: { url: string } };
    const { page: first } = await visitor();
    await acceptIn(first, invitation.url);
    await first.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    const { page: second } = await visitor(PHONE);
    await second.goto(invitation.url);
    await second.getByText('This link no longer works').waitFor();
    expect(await axeFindings(second)).toEqual([]);
    await second.reload();
    await second.getByText('No invitation in this link').waitFor();
    await second.getByRole('link', { name: 'Go to sign-in' }).click();
    await second.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  });

  it('says what is wrong with a password before it is sent, and shows it when asked', async () => {
    const made = await product.admin('POST', '/v1/admin/members', { email: 'short@example.com', role: 'viewer' });
    const { invitation } = (await made.json()) as { invitation: { url: string } };
    const { page: visit } = await visitor();
    await acceptIn(visit, invitation.url, 'short');
    await visit
      .getByText(/at least 12 characters/)
      .first()
      .waitFor();
    await visit.getByRole('button', { name: 'Show password' }).click();
    await expect(visit.getByLabel('New password').getAttribute('type')).resolves.toBe('text');
  });

  it('warns whoever is signed in that the session changes', async () => {
    const made = await product.admin('POST', '/v1/admin/members', { email: 'other@example.com', role: 'viewer' });
    const { invitation } = (await made.json()) as { invitation: { url: string } };
    const { page: mine } = await signedIn();
    await mine.goto(invitation.url);
    await mine.getByText('This browser is signed in as owner@example.com.').waitFor();
    expect(await axeFindings(mine)).toEqual([]);
  });
});

describe('a member who forgot the password', () => {
  it('gets a link from an owner, with a reason, and comes in again', async () => {
    const body = { email: 'forgot@example.com', role: 'viewer', password: 'forgotten long ago' };
    await product.admin('POST', '/v1/admin/members', body);
    await page.reload();
    const steps = countSteps();
    await steps.click(page.getByRole('button', { name: 'Actions for forgot@example.com' }));
    await steps.click(page.getByRole('menuitem', { name: 'Reset password' }));
    await steps.type(page.getByLabel('Reason'), 'Asked by phone');
    expect(await axeFindings(page)).toEqual([]);
    await steps.click(page.getByRole('button', { name: 'Create link' }));
    const link = await linkIn(page);
    expect([steps.clicks, steps.sentences], steps.taken.join('\n')).toEqual([3, 1]);
    await page.getByRole('button', { name: 'I have copied it' }).click();

    const { page: visit } = await visitor();
    await visit.goto('/sign-in');
    await visit.getByText('Lost your password or second factor?').click();
    await visit.getByText('Ask an owner for a link').waitFor();
    expect(await axeFindings(visit)).toEqual([]);
    await visit.goto(link);
    await visit.getByRole('heading', { name: 'Set a new password' }).waitFor();
    await acceptIn(visit, link);
    await visit.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });

  it('that has no way in is shown so, and gets a link in two clicks', async () => {
    const body = { email: 'locked-out@example.com', role: 'viewer', invitation: false };
    await product.admin('POST', '/v1/admin/members', body);
    await page.reload();
    const row = page.getByRole('row', { name: /locked-out@example\.com/ });
    await row.getByText('cannot sign in').waitFor();
    await page.getByRole('button', { name: 'Actions for locked-out@example.com' }).click();
    await page.getByRole('menuitem', { name: 'New invitation link' }).click();
    expect(await linkIn(page)).toContain('/invitation#sli_');
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await row.getByText('invited', { exact: true }).waitFor();
  });
});

describe('the role of a member', () => {
  it('is asked for with a reason, and can be taken back', async () => {
    await product.admin('POST', '/v1/admin/members', { email: 'role@example.com', role: 'viewer', password: PASSWORD });
    await page.reload();
    const role = page.getByLabel('Role of role@example.com');
    await role.selectOption('operator');
    await page.getByLabel('Reason').fill('On call from today');
    await page.getByRole('button', { name: 'Make operator' }).click();
    await page.getByText('role@example.com is operator now').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => role.inputValue()).toBe('viewer');

    await role.selectOption('owner');
    await page.getByText('Make role@example.com an owner?').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(role.inputValue()).resolves.toBe('viewer');
    await role.selectOption('owner');
    await page.getByRole('button', { name: 'Make owner' }).click();
    await page.getByText('Enter a reason.').waitFor();
    await page.getByLabel('Reason').fill('Leads the team');
    await page.getByRole('button', { name: 'Make owner' }).click();
    await expect.poll(() => role.inputValue()).toBe('owner');
    await role.selectOption('viewer');
    await page.getByText('Make role@example.com a viewer?').waitFor();
    await page.getByLabel('Reason').fill('Has left the team');
    await page.getByRole('button', { name: 'Make viewer' }).click();
    await expect.poll(() => role.inputValue()).toBe('viewer');
  });

  it('of the last owner stays, and says so', async () => {
    await page.getByLabel('Role of owner@example.com').selectOption('viewer');
    await page.getByLabel('Reason').fill('To see what happens');
    await page.getByRole('button', { name: 'Make viewer' }).click();
    await page.getByText('The last owner can neither be removed').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('ends with the member, with a reason', async () => {
    const { page: theirs } = await visitor();
    await theirs.goto('/sign-in');
    await submitSignIn(theirs, 'role@example.com', PASSWORD);
    await theirs.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    // Without the toasts of the tests before.
    await page.reload();
    await page.getByRole('button', { name: 'Actions for role@example.com' }).click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await page.getByLabel('Reason').fill('Has left');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove member' }).click();
    await page.getByText('role@example.com was removed').hover();
    await theirs.goto('/keys');
    await theirs.waitForURL('**/sign-in?**');
  });

  it('and comes back by an undo, with the same password', async () => {
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('role@example.com is a member again, as viewer').waitFor();
    await page.getByRole('button', { name: 'Actions for role@example.com' }).waitFor();
    const { page: theirs } = await visitor();
    await theirs.goto('/sign-in');
    await submitSignIn(theirs, 'role@example.com', PASSWORD);
    await theirs.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  });
});
