import { beforeEach, describe, expect, it } from 'vitest';
import { axeFindings } from '../fixtures/browser';
import { browserSuite, complaints, page, product } from '../fixtures/browser-suite';

const PATH = '/v1/admin/rate-limit/allowlist';

interface Entry {
  identifier: string;
  reason: string;
  expires_at: string | null;
  managed?: true;
}

async function entries(): Promise<Entry[]> {
  return (await product.admin('GET', PATH)).json() as Promise<Entry[]>;
}

async function openAllowlist(path = '/allowlist'): Promise<void> {
  await page.goto(path);
  await page.getByRole('heading', { level: 1, name: 'Allowlist' }).waitFor();
}

browserSuite({ signInAt: '/allowlist' });
beforeEach(async () => {
  for (const entry of await entries())
    await product.admin('DELETE', PATH, { type: 'ip', identifier: entry.identifier });
});

describe('the allowlist', () => {
  it('says what to do when it is empty', async () => {
    await openAllowlist();
    await page.getByText('Everyone is limited').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('adds an address with a quick expiry, in its canonical form', async () => {
    await openAllowlist();
    await page.getByRole('button', { name: 'Add entry' }).first().click();
    await page.getByLabel('Address or range').fill('2001:DB8:0::1');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Health check');
    const chosenAt = Date.now();
    await page.getByRole('radio', { name: 'In one hour' }).click();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: /2001:db8::1/ }).waitFor();
    const [entry] = await entries();
    expect(entry?.identifier).toBe('2001:db8::1');
    const expiresAt = Date.parse(entry?.expires_at ?? '');
    expect(expiresAt - chosenAt).toBeGreaterThan(3_500_000);
    expect(expiresAt - Date.now()).toBeLessThanOrEqual(3_600_000);
  });

  it('warns of a wide range, refuses what is no address, and loses nothing that was typed', async () => {
    await openAllowlist();
    await page.getByRole('button', { name: 'Add entry' }).first().click();
    await page.getByLabel('Address or range').fill('10.0.0.0/8');
    await page.getByText('/8 covers 16,777,216 addresses.').waitFor();
    await page.getByLabel('Address or range').fill('10.0.0.0/24');
    await page.getByText('A wide range').waitFor({ state: 'detached' });
    await page.getByLabel('Address or range').fill('10.0.0.300');
    await page.getByRole('textbox', { name: 'Reason' }).fill('Kept');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Enter an IPv4 or IPv6 address, or a range').waitFor();
    await expect(page.getByRole('textbox', { name: 'Reason' }).inputValue()).resolves.toBe('Kept');
    expect(await entries()).toEqual([]);
  });

  it('fills in the own address', async () => {
    await openAllowlist();
    await page.getByRole('button', { name: 'Add entry' }).first().click();
    await page.getByRole('button', { name: 'My address' }).click();
    await expect(page.getByLabel('Address or range').inputValue()).resolves.toBe('127.0.0.1');
  });

  it('edits reason and expiry of an entry', async () => {
    await product.admin('POST', PATH, { type: 'ip', identifier: '192.0.2.7', reason: 'Before' });
    await openAllowlist();
    await page.getByRole('button', { name: 'Actions for 192.0.2.7' }).click();
    await page.getByRole('menuitem', { name: 'Override limit…' }).waitFor();
    // It is there already.
    expect(await page.getByRole('menuitem', { name: 'Allowlist…' }).count()).toBe(0);
    await page.getByRole('menuitem', { name: 'Edit reason and expiry…' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('After');
    await page.getByRole('radio', { name: 'In seven days' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('cell', { name: 'After' }).waitFor();
    await page.getByRole('cell', { name: /in [67] d/ }).waitFor();
    expect(await entries()).toMatchObject([{ identifier: '192.0.2.7', reason: 'After' }]);
  });

  it('removes an entry at once, and puts it back as it was on undo', async () => {
    await product.admin('POST', PATH, { type: 'ip', identifier: '192.0.2.8', reason: 'Partner' });
    const before = await entries();
    await openAllowlist();
    // The dialog has looked the entry up: its answer is kept beside the list.
    await page.getByRole('button', { name: 'Add entry' }).first().click();
    await page.getByLabel('Address or range').fill('192.0.2.8');
    await page
      .getByText(/already on the/i)
      .first()
      .waitFor();
    await page.getByLabel('Address or range').fill('');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Actions for 192.0.2.8' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The migration is over');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('192.0.2.8 was removed').hover();
    expect(await entries()).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('192.0.2.8 is back on the allowlist').waitFor();
    expect(await entries()).toEqual(before);
  });

  it('warns before an entry or limits are changed that a state document sets, and of no others', async () => {
    const managed = { type: 'ip', identifier: '192.0.2.10', reason: 'Set by a document' };
    await product.admin('PUT', '/v1/admin/state', { version: 1, policies: {}, allowlist: [managed] });
    await product.admin('POST', PATH, { ...managed, identifier: '192.0.2.11', reason: 'By hand' });
    const note = page.getByText('Managed by a state document');
    for (const [identifier, count] of [
      ['192.0.2.10', 1],
      ['192.0.2.11', 0],
    ] as const) {
      for (const action of ['Edit reason and expiry…', 'Remove…']) {
        await openAllowlist();
        await page.getByRole('button', { name: `Actions for ${identifier}` }).click();
        await page.getByRole('menuitem', { name: action }).click();
        await page.getByRole('textbox', { name: 'Reason' }).waitFor();
        // The warning is fetched when it is needed.
        if (count === 1) await note.waitFor();
        expect(await note.count(), `${action} ${identifier}`).toBe(count);
      }
    }
    await openAllowlist();
    await page.getByRole('button', { name: 'Actions for 192.0.2.10' }).click();
    await page.getByRole('menuitem', { name: 'Edit reason and expiry…' }).click();
    await page.getByRole('button', { name: 'Release from the document' }).click();
    await page.getByText('Released from its state document').waitFor();
    expect(await note.count()).toBe(0);
    expect((await entries()).map((entry) => entry.managed)).not.toContain(true);
    await page.goto('/limits');
    await note.waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('keeps search, filter and order in the address', async () => {
    await product.admin('POST', PATH, { type: 'ip', identifier: '192.0.2.9', reason: 'Monitoring' });
    await product.admin('POST', PATH, { type: 'ip', identifier: '198.51.100.9', reason: 'Office' });
    await openAllowlist();
    await page.getByRole('searchbox').fill('monit');
    await page.getByRole('link', { name: /198\.51\.100\.9/ }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Identifier' }).click();
    await page.waitForURL(
      (url) => url.searchParams.get('q') === 'monit' && url.searchParams.get('sort') === 'identifier',
    );
    await page.reload();
    await page.getByRole('link', { name: /192\.0\.2\.9/ }).waitFor();
    await expect(page.getByRole('link', { name: /198\.51\.100\.9/ }).count()).resolves.toBe(0);
    await expect(page.getByRole('columnheader', { name: 'Identifier' }).getAttribute('aria-sort')).resolves.toBe(
      'ascending',
    );
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByRole('link', { name: /198\.51\.100\.9/ }).waitFor();
  });

  it('never complains in the console', () => {
    expect(complaints).toEqual([]);
  });
});
