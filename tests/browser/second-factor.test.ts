import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { authenticator } from '../fixtures/authenticator';
import { axeFindings, signIn, submitSignIn } from '../fixtures/browser';
import { browserSuite, product, visitor } from '../fixtures/browser-suite';

const PHONE = { viewport: { width: 390, height: 844 } };
const PASSWORD = 'a password of my own';

/** More sign-ins than one address has in a minute. */
async function prepare(): Promise<void> {
  await product.admin('PATCH', '/v1/admin/policies', {
    classes: { auth: { ip: { limit: 1000, window_seconds: 60 } } },
  });
}
browserSuite({ prepare });

let names = 0;

async function newMember(role = 'viewer'): Promise<string> {
  names += 1;
  const email = `member${names}@example.com`;
  await product.admin('POST', '/v1/admin/members', { email, role, password: PASSWORD });
  return email;
}

/** From the password to the recovery codes. */
async function setUp(page: Page): Promise<{ app: ReturnType<typeof authenticator>; codes: string[] }> {
  await page.getByLabel('Your password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const key = await page.getByText(/^(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).textContent();
  const app = authenticator(key ?? '');
  await page.getByLabel('Code from your authenticator app').fill(app.now());
  await page.getByRole('button', { name: 'Turn on' }).click();
  const list = page.getByRole('list', { name: 'Recovery codes' });
  await list.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const codes = await list.getByRole('listitem').allTextContents();
  expect(codes).toHaveLength(10);
  return { app, codes };
}

describe('a second factor', () => {
  it('is set up from the account, asked for at sign-in, and turned off again', async () => {
    const email = await newMember();
    const { page, complaints } = await visitor();
    await signIn(page, '/settings?tab=account', email, PASSWORD);
    await page.getByRole('button', { name: 'Set up' }).click();
    const { app, codes } = await setUp(page);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('10 recovery codes left.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);

    const { page: other } = await visitor(PHONE);
    await other.goto('/keys');
    await submitSignIn(other, email, PASSWORD);
    const code = other.getByLabel('Code from your authenticator app');
    await code.waitFor();
    expect(await axeFindings(other)).toEqual([]);
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByText('Enter the code.').waitFor();
    await code.fill('000000');
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.getByText('Wrong code').waitFor();
    expect(await axeFindings(other)).toEqual([]);
    await code.fill(app.next());
    await other.getByRole('button', { name: 'Sign in', exact: true }).click();
    await other.waitForURL('**/keys');

    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code', { exact: true }).fill(codes[0] ?? '');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('It is off: anyone who knows your password can sign in.').waitFor();
  });

  it('is turned off with a new password where the present one is too short to be the only factor', async () => {
    const email = await newMember();
    const { page } = await visitor();
    await signIn(page, '/settings?tab=account', email, PASSWORD);
    await page.getByRole('button', { name: 'Set up' }).click();
    const { codes } = await setUp(page);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByLabel('New password').fill('vq7-lumen-xe');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed').waitFor();
    await page.getByRole('button', { name: 'Turn off' }).click();
    const dialog = page.getByRole('dialog', { name: 'Turn off the second factor' });
    await dialog.getByLabel('Your password').fill('vq7-lumen-xe');
    await dialog.getByRole('button', { name: 'Use a recovery code' }).click();
    await dialog.getByLabel('Recovery code', { exact: true }).fill(codes[0] ?? '');
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await dialog.getByText('Must replace your password, which has fewer than 15 characters.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByLabel('New password').fill('seven quiet lanterns by the river');
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('It is off: anyone who knows your password can sign in.').waitFor();
  });

  it('gets new recovery codes by password and code', async () => {
    const email = await newMember();
    const { page } = await visitor();
    await signIn(page, '/settings?tab=account', email, PASSWORD);
    await page.getByRole('button', { name: 'Set up' }).click();
    const { codes } = await setUp(page);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByRole('button', { name: 'New recovery codes' }).click();
    await page.getByLabel('Your password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await page.getByLabel('Recovery code', { exact: true }).fill(codes[0] ?? '');
    await page.getByRole('button', { name: 'Create new codes' }).click();
    const list = page.getByRole('list', { name: 'Recovery codes' });
    await list.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const fresh = await list.getByRole('listitem').allTextContents();
    expect(fresh.some((code) => codes.includes(code))).toBe(false);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    await page.getByText('10 recovery codes left.').waitFor();
  });

  it('is reset by an owner, and then the password alone is enough', async () => {
    const email = await newMember();
    const { page: member } = await visitor();
    await signIn(member, '/settings?tab=account', email, PASSWORD);
    await member.getByRole('button', { name: 'Set up' }).click();
    await setUp(member);
    const { page: owner } = await visitor();
    await signIn(owner, '/settings?tab=members');
    await owner.getByRole('button', { name: `Actions for ${email}` }).click();
    await owner.getByRole('menuitem', { name: 'Reset second factor' }).click();
    await owner.getByLabel('Reason').fill('Lost the phone, seen in person');
    expect(await axeFindings(owner)).toEqual([]);
    await owner.getByRole('button', { name: 'Reset second factor' }).click();
    await owner.getByText(`${email} no longer has a second factor`).waitFor();
    const { page: again } = await visitor();
    await signIn(again, '/keys', email, PASSWORD);
  });

  it('that an owner requires is set up before anything else', async () => {
    const [owner, member] = [await newMember('owner'), await newMember()];
    const { page: open } = await visitor();
    await signIn(open, '/decisions', member, PASSWORD);
    const { page } = await visitor();
    await signIn(page, '/settings?tab=members', owner, PASSWORD);
    await page.getByRole('switch', { name: 'Require a second factor' }).click();
    await page.getByText('You are one of them').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByLabel('Reason').fill('Policy of the team');
    await page.getByRole('button', { name: 'Require it' }).click();
    await page.waitForURL('**/sign-in/second-factor?**');

    // What was open before says what to do.
    await open.getByRole('searchbox').first().fill('203.0.113.7');
    await open.getByText('Set up a second factor to continue').first().waitFor();
    await open.getByRole('link', { name: 'Set it up' }).first().click();
    await open.getByRole('heading', { name: 'Set up a second factor' }).waitFor();

    const { page: phone, complaints } = await visitor(PHONE);
    await phone.goto('/keys');
    await submitSignIn(phone, member, PASSWORD);
    await phone.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    expect(await axeFindings(phone)).toEqual([]);
    await phone.goto('/audit');
    await phone.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
    await setUp(phone);
    await phone.getByRole('button', { name: 'I have stored them' }).click();
    await phone.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor();
    expect(complaints).toEqual([]);

    await setUp(page);
    await page.getByRole('button', { name: 'I have stored them' }).click();
    const required = page.getByRole('switch', { name: 'Require a second factor' });
    await required.waitFor();
    await required.click();
    await page.getByLabel('Reason').fill('Two members have no phone');
    await page.getByRole('button', { name: 'Make it optional' }).click();
    await page.getByText('A second factor is optional now').waitFor();
  });
});

describe('sessions', () => {
  it('are seen on the account and ended there, one or all others', async () => {
    const email = await newMember();
    const { page, complaints } = await visitor();
    await signIn(page, '/settings?tab=account', email, PASSWORD);
    const others = await Promise.all(
      ['Firefox/140.0', 'Version/17.0 Safari/605.1.15'].map((browser) =>
        visitor({ userAgent: `Mozilla/5.0 (X11; Linux x86_64) ${browser}` }),
      ),
    );
    for (const other of others) await signIn(other.page, '/keys', email, PASSWORD);
    await page.reload();
    const list = page.getByRole('list', { name: 'Sessions' });
    await expect.poll(() => list.getByRole('listitem').count()).toBe(3);
    await list.getByText('this browser').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await list.getByRole('button', { name: /^End the session of Firefox on Linux/ }).click();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
    await page.getByRole('button', { name: 'End all others' }).click();
    await page.getByRole('button', { name: 'End other sessions' }).click();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    for (const other of others) {
      await other.page.goto('/keys');
      await other.page.waitForURL('**/sign-in?**');
    }
    expect(complaints).toEqual([]);
  });
});
