import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { axeFindings, signIn } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, visitor } from '../../fixtures/browser-suite';
import { startProduct } from '../../fixtures/product';
import { realComplaints } from './lab-page';

browserSuite({ signInAt: '/oauth/assessments' });

const report = (name: string) => page.getByRole('checkbox', { name: new RegExp(`^${name}`) });

describe('the OAuth assessments', () => {
  it('says what to do when there is no report', async () => {
    await page.getByText('No report yet').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('runs the whole catalogue against the lab, and keeps the report over a reload', async () => {
    await page.getByRole('button', { name: 'Run the assessment' }).click();
    await page.getByRole('heading', { name: 'Failed controls (0)' }).waitFor();
    await page.reload();
    await report('Lab, secure').waitFor();
    await page.getByText('0 failed').waitFor();
  });

  it('exports a report with its evidence', async () => {
    await report('Lab, secure').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export JSON' }).click(),
    ]);
    const exported = JSON.parse(readFileSync(await download.path(), 'utf8'));
    expect(exported.issuer).toBe(product.origin);
    expect(exported.findings.length).toBeGreaterThan(60);
    const pkce = exported.findings.find((finding: { control: string }) => finding.control === 'require-pkce');
    expect(pkce).toMatchObject({ verdict: { kind: 'passed' } });
    expect(pkce.exchanges.at(-1).response.status).toBe(400);
  });

  it('compares two reports, what differs first', async () => {
    await page.getByRole('radio', { name: 'partial' }).click();
    await page.getByRole('button', { name: 'Run the assessment' }).click();
    await report('Lab, partial').waitFor();
    await report('Lab, secure').click();
    await page.getByText(/^1\d of \d+ controls differ\.$/).waitFor();
    const first = page.getByRole('region', { name: 'Comparison of two reports' }).getByRole('row').nth(1);
    expect(await first.textContent()).toContain('differs');
    expect(await axeFindings(page)).toEqual([]);
  });

  it('reaches no private address, and never takes that for passed', async () => {
    await page.getByRole('radio', { name: 'A real server' }).click();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByLabel('Issuer').fill(product.origin);
    await page.getByLabel('Client id').fill('demo-client');
    await page.getByLabel('Redirect URI').fill('https://app.example.com/callback');
    await page.getByRole('button', { name: 'Run the assessment' }).click();
    await page.getByRole('heading', { name: 'Passed controls (0)' }).waitFor();
    await page.getByRole('heading', { name: /Inconclusive \([456]\d\)/ }).waitFor();
  });

  it('uses up nothing of the rate limit of the lab', async () => {
    const answer = await fetch(`${product.origin}/auth/authorize`, { method: 'POST' });
    // Of ten, this request is one and the sign-in was the other.
    expect(answer.headers.get('x-ratelimit-remaining')).toBe('8');
  });

  it('never complains in the console', () => {
    expect(realComplaints(complaints)).toEqual([]);
  });
});

describe('the lab switched off', () => {
  it('has no pages, no endpoints and no place in the navigation', async () => {
    const without = await startProduct({ env: { SLUICE_LAB: 'off' } });
    try {
      const other = await visitor({}, without);
      await signIn(other.page, '/');
      await other.page.getByRole('link', { name: 'Decisions', exact: true }).waitFor();
      await expect(other.page.getByRole('link', { name: 'OAuth builder' }).count()).resolves.toBe(0);
      for (const path of ['/oauth', '/oauth/assessments', '/oauth/callback']) {
        await other.page.goto(path);
        await other.page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
      }
      expect((await without.admin('POST', '/v1/oauth-lab/audits', { off: [] })).status).toBe(404);
      expect((await without.admin('POST', '/v1/oauth-lab/replays/mix-up', { off: [] })).status).toBe(404);
    } finally {
      await without.stop();
    }
  });
});
