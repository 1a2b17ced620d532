import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { axeFindings, signIn } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, signedIn, visitor } from '../../fixtures/browser-suite';
import { realComplaints } from './lab-page';
import {
  beThePerson,
  fillIn,
  openSignIn,
  part,
  provider,
  REPORT,
  registeringProvider,
  reportOpens,
  startAssessor,
  typeIssuer,
} from './server-page';

browserSuite({ signInAt: '/oauth/assessments', start: startAssessor });

async function assessLab(preset: string): Promise<void> {
  await page.goto('/oauth/assessments/new?target=lab');
  await page.getByRole('radio', { name: preset, exact: true }).click();
  await page.getByLabel('Name of the report').fill(`Lab, ${preset}`);
  await page.getByRole('button', { name: 'Start the assessment' }).click();
  await reportOpens(page);
}

describe('the assessments of the lab', () => {
  it('are none at first, and the list says what to do', async () => {
    await page.getByText('No assessment yet').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'New assessment' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'New assessment' }).waitFor();
    await page.getByText('controls can be decided').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('end in a report that is graded and kept', async () => {
    await assessLab('secure');
    await page.getByText('Nothing failed.').waitFor();
    await page.reload();
    await part(page, 'Result').getByRole('img', { name: 'Grade A' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('show for a failure what is wrong, what to change, and the exchange', async () => {
    await assessLab('partial');
    await part(page, 'Result').getByRole('img', { name: 'Grade F' }).waitFor();
    await page.getByRole('button', { name: /PKCE is not required/ }).click();
    const failed = part(page, 'Failed');
    await failed.getByText('What an attacker gains').waitFor();
    await failed.getByRole('link', { name: /RFC 9700 2\.1\.1/ }).waitFor();
    await failed.getByText('The exchange that shows it').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('let an operator accept a failure with a reason, and withdraw that', async () => {
    await page.getByRole('button', { name: 'Accept this finding…' }).click();
    await page.getByLabel('Reason').fill('Legacy client until the migration');
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByText('Legacy client until the migration').waitFor();
    await page.getByRole('button', { name: 'Withdraw…' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The migration is done');
    await page.getByRole('button', { name: 'Withdraw', exact: true }).click();
    await page.getByRole('button', { name: 'Accept this finding…' }).waitFor();
  });

  it('are compared with a baseline, and a link shows the same', async () => {
    const value = await page.locator('option', { hasText: 'Lab, secure' }).getAttribute('value');
    await page.getByLabel('Compare with').selectOption(value);
    await page.getByRole('heading', { name: 'Since the baseline' }).waitFor();
    await page.waitForURL((url) => url.searchParams.has('baseline'));
    await page.reload();
    await page
      .getByRole('region', { name: 'New', exact: true })
      .getByRole('link', { name: 'PKCE is not required' })
      .click();
    await expect.poll(() => page.url()).toContain('#control-require-pkce');
    await part(page, 'Failed').getByText('What to change').waitFor();
  });

  it('list each threat with the controls against it', async () => {
    await page.getByRole('tab', { name: 'Threats' }).click();
    const threat = page.getByRole('listitem').filter({ hasText: 'Authorization code injection' }).first();
    await threat.getByRole('link', { name: /require-pkce/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('are graded by the clauses of each profile', async () => {
    await page.getByRole('tab', { name: 'Profiles' }).click();
    const clause = page.getByRole('listitem').filter({ hasText: 'PKCE with S256 is required.' }).first();
    await clause.getByText('Violated').waitFor();
    await clause.getByRole('link', { name: /require-pkce/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('are downloaded in five formats', async () => {
    for (const [name, start] of Object.entries({
      JSON: '{',
      Markdown: '# ',
      HTML: '<!doctype',
      'SARIF 2.1.0': '{',
      JUnit: '<',
    })) {
      await page.getByRole('button', { name: 'Export' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name, exact: true }).click(),
      ]);
      expect(readFileSync(await download.path(), 'utf8').slice(0, 20), name).toContain(start);
    }
  });

  it('are found by name, and removed for good', async () => {
    await page.goto('/oauth/assessments?q=partial');
    await page.getByRole('link', { name: 'Lab, partial' }).waitFor();
    await expect(page.getByRole('link', { name: 'Lab, secure' }).count()).resolves.toBe(0);
    await page.getByRole('button', { name: 'Actions for Lab, partial' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No assessment matches').waitFor();
  });

  it('never complain in the console', () => {
    expect(realComplaints(complaints)).toEqual([]);
  });
});

const SCREENS = [
  { width: 390, height: 844 },
  { width: 1440, height: 900 },
];

describe('an assessment from one address', () => {
  it('registers clients, goes on after one sign-in, and removes the clients when it is stopped', async () => {
    const removed: string[] = [];
    await using server = await registeringProvider(removed);
    const { page: own, context, complaints: heard } = await signedIn({ viewport: { width: 390, height: 844 } });
    await own.goto('/oauth/assessments/new');
    await own.getByText('controls can be decided').waitFor();
    const field = own.getByLabel('Issuer, MCP server or protected resource');
    const start = own.getByRole('button', { name: 'Start the assessment' });
    await start.click();
    await own.getByText('Required.').waitFor();
    await field.fill('login.example.com');
    await start.click();
    await own.locator('[aria-invalid=true]').waitFor();
    expect(await axeFindings(own)).toEqual([]);
    await own.waitForFunction(() => document.documentElement.scrollWidth === document.documentElement.clientWidth);
    await own.setViewportSize({ width: 1440, height: 900 });
    await field.fill(server.issuer);
    await start.click();
    await part(own, 'Sign in').waitFor();
    for (const screen of SCREENS) {
      await own.setViewportSize(screen);
      expect(await axeFindings(own)).toEqual([]);
    }
    await beThePerson(await openSignIn(own, context));
    // More than the sign-in itself lets it judge.
    await own.getByText(/^(?:[3-9]\d|\d{3}) of \d+ controls$/).waitFor();
    await own.getByRole('button', { name: 'Stop', exact: true }).click();
    await own.getByRole('link', { name: 'Found so far' }).click();
    await own.waitForURL(REPORT);
    await own.getByText('was stopped before its end').waitFor();
    await own.waitForFunction(() => document.documentElement.scrollWidth === document.documentElement.clientWidth);
    await expect.poll(() => removed.length).toBeGreaterThanOrEqual(3);
    expect(realComplaints(heard)).toEqual([]);
  });
});

describe('without the window', () => {
  it('says that it was closed, takes a pasted address, and stops when it is told to', async () => {
    await using server = await provider();
    const { page: own, context } = await signedIn();
    await fillIn(own, server);
    await own.getByRole('button', { name: 'Start the assessment' }).click();
    await part(own, 'Sign in')
      .getByRole('button', { name: /Paste the address/ })
      .click();
    await own.getByLabel('Address that the server sent the browser to').fill('no address');
    await own.getByRole('button', { name: 'Submit' }).click();
    await own.getByText('Paste the whole address').waitFor();
    await own
      .getByLabel('Address that the server sent the browser to')
      .fill(`${product.origin}/oauth/callback?code=x&state=y`);
    await own.getByRole('button', { name: 'Submit' }).click();
    await own.getByText('That address belongs to another request.').waitFor();
    await own.getByRole('button', { name: 'Stop', exact: true }).click();
    await own.getByRole('link', { name: 'Found so far' }).click();
    await own.waitForURL(REPORT);
    await own.getByText('was stopped before its end').waitFor();
    expect(context.pages()).toHaveLength(1);
  });

  it('has no client to ask for: the issuer alone gives a result', async () => {
    await using server = await provider();
    const { page: own } = await signedIn();
    await own.goto('/oauth/assessments/new');
    await typeIssuer(own, server.issuer);
    await own.getByRole('button', { name: 'Start the assessment' }).click();
    await reportOpens(own);
    const [id] = own.url().match(/[0-9a-f-]{36}/) ?? [];
    const { summary } = await (await product.admin('GET', `/v1/oauth/assessments/${id}`)).json();
    expect(summary.passed + summary.failed).toBeGreaterThanOrEqual(12);
    await own.getByRole('link', { name: 'Assess again' }).click();
    await expect.poll(() => own.getByLabel('Issuer', { exact: true }).inputValue()).toBe(server.issuer);
  });

  it('lays what is wrong at its field, and loses nothing', async () => {
    const { page: own } = await signedIn();
    await own.goto('/oauth/assessments/new');
    await own.getByRole('radio', { name: 'Issuer', exact: true }).click();
    await own.getByRole('button', { name: 'Add: Client' }).click();
    await part(own, 'Client').getByLabel('Client id').fill('my-client');
    await own.getByRole('button', { name: 'Start the assessment' }).click();
    await expect.poll(() => own.getByLabel('Issuer', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    expect(
      await part(own, 'Client')
        .getByRole('textbox', { name: 'Redirect URI', exact: true })
        .getAttribute('aria-invalid'),
    ).toBe('true');
    expect(await part(own, 'Client').getByLabel('Client id').inputValue()).toBe('my-client');
    expect(await axeFindings(own)).toEqual([]);
  });
});

describe('the callback page', () => {
  it('takes a posted response, and shows it to whoever opened it', async () => {
    const posted = await fetch(`${product.origin}/oauth/callback`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ code: 'a+b', state: 'x' }),
    });
    expect([posted.status, posted.headers.get('cache-control')]).toEqual([303, 'no-store']);
    const location = new URL(posted.headers.get('location') ?? '', product.origin);
    expect([location.origin, location.searchParams.get('code'), location.hash]).toEqual([
      product.origin,
      'a+b',
      '#form_post',
    ]);
    const json = await fetch(`${product.origin}/oauth/callback`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{}',
    });
    expect(json.status).toBe(415);
  });

  it('tells a stranger that no assessment waits for them', async () => {
    const { page: own } = await visitor();
    await own.goto('/oauth/callback#assessment=01a2023d-b3db-7000-8000-01aca1aebd3e');
    await own.getByRole('heading', { name: 'No assessment is waiting for this' }).waitFor();
    expect(await axeFindings(own)).toEqual([]);
  });
});

describe('the lab switched off', () => {
  it('is no target and has no builder, and everything for other servers stays', async () => {
    const without = await startAssessor({ SLUICE_LAB: 'off' });
    onTestFinished(async () => void (await without.stop()));
    await using server = await provider();
    const { page: own, complaints: heard } = await visitor({}, without);
    await signIn(own, '/oauth/assessments');
    const navigation = own.getByRole('navigation', { name: 'Main' });
    const names = await navigation.getByRole('link').allTextContents();
    expect(names).toEqual(expect.arrayContaining(['OAuth client', 'Token workbench', 'Assessments']));
    expect(names).not.toContain('OAuth builder');
    await own.getByText('The issuer of a server is enough for a first result.').waitFor();
    await expect(own.getByText(/\blab\b/i).count()).resolves.toBe(0);

    await own.goto('/oauth/client');
    await own.getByRole('heading', { level: 1, name: 'OAuth client' }).waitFor();
    await expect(own.getByRole('option', { name: /Lab/ }).count()).resolves.toBe(0);
    await own.goto('/oauth/callback');
    await own.getByRole('heading', { level: 1, name: 'Nothing came back' }).waitFor();
    await own.getByRole('link', { name: 'Open the OAuth client' }).waitFor();

    await own.goto('/oauth/assessments/new?target=lab');
    await typeIssuer(own, server.issuer);
    await expect(own.getByRole('radio', { name: 'Built-in lab' }).count()).resolves.toBe(0);
    await own.getByRole('button', { name: 'Start the assessment' }).click();
    await reportOpens(own);
    expect(realComplaints(heard)).toEqual([]);

    await own.goto('/oauth');
    await own.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
    const lab = { target: { lab: {} } };
    expect((await without.admin('POST', '/v1/oauth/assessments', lab)).status).toBe(404);
    expect((await without.admin('POST', '/v1/oauth/replays/mix-up', { off: [] })).status).toBe(404);
  });
});
