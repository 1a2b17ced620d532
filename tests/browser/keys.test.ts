import { describe, expect, it } from 'vitest';
import { axeFindings } from '../fixtures/browser';
import { browserSuite, complaints, page, product } from '../fixtures/browser-suite';

let secret = '';

async function keyNamed(name: string): Promise<{ id: string; tier: string; usage: number; revoked_at: string | null }> {
  const keys = (await (await product.admin('GET', '/v1/admin/api-keys?status=all')).json()) as { name: string }[];
  const key = keys.find((listed) => listed.name === name);
  if (!key) throw new Error(`There is no key ${name}.`);
  return key as never;
}

function usage(with_: string): Promise<Response> {
  return fetch(`${product.origin}/v1/usage`, { headers: { 'X-API-Key': with_ } });
}

async function act(name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Fills in the reason that every change of a key asks for. */
async function say(reason: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Reason' }).fill(reason);
}

browserSuite({ signInAt: '/keys' });

describe('keys and quotas', () => {
  it('creates a key and shows its secret this once', async () => {
    await page.getByText('No API keys yet').waitFor();
    await page.getByRole('button', { name: 'New key' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('billing');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByText('This is the only time it is shown.').waitFor();
    secret = (await page.getByRole('dialog').locator('code').first().textContent()) ?? '';
    expect((await usage(secret)).status).toBe(200);
    await page.keyboard.press('Escape');
    await page.getByText('This is the only time it is shown.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByRole('link', { name: 'billing' }).waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  it('says at the field that a name is taken, and keeps the form', async () => {
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('billing');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByRole('alert').filter({ hasText: 'conflicts' }).waitFor();
    await expect(page.getByLabel('Name', { exact: true }).inputValue()).resolves.toBe('billing');
    await page.getByRole('button', { name: 'Cancel' }).click();
  });

  it('changes the tier, with the old and the new limit in sight', async () => {
    await act('billing', 'Change tier…');
    const dialog = page.getByRole('dialog');
    await say('Upgraded');
    await dialog.getByRole('button', { name: 'Change tier' }).click();
    await dialog.getByText('The key is on Free already. Choose another tier.').waitFor();
    await page.getByRole('combobox', { name: 'Tier' }).click();
    await page.getByRole('option', { name: /Business/ }).click();
    await dialog.getByText('Now: Free').waitFor();
    await dialog.getByText('New: Business').waitFor();
    await expect(dialog.getByText('100,000', { exact: true }).count()).resolves.toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Change tier' }).click();
    await page.getByText('billing is on Business').waitFor();
    expect((await keyNamed('billing')).tier).toBe('business');
  });

  it('says until when the month lasts that starts on another day, and what is used of it', async () => {
    await act('billing', 'Edit…');
    const dialog = page.getByRole('dialog');
    const day = dialog.getByLabel('Month starts on day');
    await day.fill('32');
    expect(await dialog.getByText(/Its running month ends/).count()).toBe(0);
    // Never the first, where its month starts already.
    await day.fill('15');
    const words = /^Its running month ends at .*, instead of .*; \d+ of its 100,000 requests are used and stay counted/;
    await dialog.getByText(words).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await day.fill('1');
    await dialog.getByText(words).waitFor({ state: 'detached' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'detached' });
  });

  it('shows a change by someone else as what it is, and changes nothing', async () => {
    const { id } = await keyNamed('billing');
    const seen = page.waitForResponse((response) => response.url().includes(`/quota/${id}`));
    await act('billing', 'Change tier…');
    await page.getByRole('dialog').getByText('used this month').waitFor();
    await (await seen).finished();
    await product.admin('PUT', `/v1/admin/rate-limit/quota/${id}/tier`, { tier: 'starter' });
    await page.getByRole('combobox', { name: 'Tier' }).click();
    await page.getByRole('option', { name: /Enterprise/ }).click();
    await say('Upgraded again');
    await page.getByRole('button', { name: 'Change tier' }).click();
    const dialog = page.getByRole('dialog');
    const alert = dialog.getByRole('alert').filter({ hasText: 'Someone else changed this in the meantime' });
    await alert.getByText('Nothing was saved, and what you typed is still here').waitFor();
    expect((await keyNamed('billing')).tier).toBe('starter');
    await dialog.getByText('Now: Starter').waitFor();
    await dialog.getByText('New: Enterprise').waitFor();
    await dialog.getByRole('button', { name: 'Change tier' }).click();
    await page.getByText('billing is on Enterprise').waitFor();
    expect((await keyNamed('billing')).tier).toBe('enterprise');
  });

  it('resets the usage with a reason that the audit log keeps', async () => {
    await act('billing', 'Reset usage…');
    await page.getByText(/used requests? of this month (is|are) forgiven; 1,000,000 are available until/).waitFor();
    await say('Runaway job');
    await page.getByRole('button', { name: 'Reset usage' }).click();
    await page.getByText('Usage of billing was reset').waitFor();
    const audit = (await (await product.admin('GET', '/v1/admin/audit?action=quota.reset')).json()) as {
      reason: string;
    }[];
    expect(audit[0]?.reason).toBe('Runaway job');
  });

  it('rotates the secret with a grace period', async () => {
    await act('billing', 'Rotate secret…');
    await page.getByText(/keeps working until/).waitFor();
    await say('Yearly rotation');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByText('New secret of billing').waitFor();
    const rotated = (await page.getByRole('dialog').locator('code').first().textContent()) ?? '';
    await page.getByRole('button', { name: 'I have stored it' }).click();
    expect((await usage(rotated)).status).toBe(200);
    expect((await usage(secret)).status).toBe(200);
    secret = rotated;
  });

  it('shows the page of one key with its changes', async () => {
    await page.getByRole('link', { name: 'billing' }).click();
    await page.getByRole('heading', { level: 1, name: 'billing' }).waitFor();
    await page
      .getByRole('row', { name: /reset the usage/ })
      .getByRole('button', { name: /^Details/ })
      .click();
    await page.getByRole('dialog').getByText('Runaway job').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.goto('/keys');
  });

  it('revokes after it asked, and the secret is worth nothing from then on', async () => {
    await act('billing', 'Revoke…');
    await page.getByText(/Its name can be reused/).waitFor();
    await say('The contract has ended');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('billing is revoked').waitFor();
    expect((await usage(secret)).status).toBe(401);
    await page.getByRole('tab', { name: 'Revoked' }).click();
    await page.getByRole('link', { name: 'billing' }).waitFor();
  });

  it('complains in the console about the two refusals that were provoked, and nothing else', () => {
    expect(complaints.filter((line) => !/409|412/.test(line))).toEqual([]);
  });
});
