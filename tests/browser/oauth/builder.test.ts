import { describe, expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product } from '../../fixtures/browser-suite';
import { card, getToken, measured, openBuilder, parameter, realComplaints, send, startLab } from './lab-page';

browserSuite({ start: startLab, signInAt: '/oauth' });

describe('the OAuth builder', () => {
  it('shows a placeholder until something is sent, and a matrix without a failed control', async () => {
    await openBuilder(page);
    await card(page, 'Response').getByText('Nothing sent yet').waitFor();
    await page.getByText('Failed controls (0)').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('warns at the field that a warning concerns, and stops when it no longer holds', async () => {
    await openBuilder(page);
    const described = async (name: string) => {
      const id = await parameter(page, name).getAttribute('aria-describedby');
      return page.locator(`[id="${id}"]`).textContent();
    };
    expect(await described('state')).toContain('No state parameter is sent: the flow is open to CSRF.');
    expect(await described('code_challenge')).toContain('will fail without code_challenge');
    expect(await described('redirect_uri')).not.toContain('OFF');
    await page.getByRole('switch', { name: /The redirect URI is compared exactly/ }).click();
    expect(await described('redirect_uri')).toContain('Strict redirect-URI validation is OFF');
    await page.getByRole('button', { name: 'Generate', exact: true }).click();
    expect(await described('state')).not.toContain('CSRF');
    await page.getByRole('tab', { name: 'Data' }).click();
    await page.getByText('validation OFF').waitFor({ state: 'detached' });
    await page.getByRole('switch', { name: 'Audience validation' }).click();
    await page.getByText('(validation OFF)').waitFor();
    await page.getByText('Audience validation is OFF: a token for another service is accepted.').waitFor();
  });

  it('sends what it shows: method, path, headers and body', async () => {
    await openBuilder(page, '/oauth?tab=authorize&off=require-pkce&p.client_id=demo-client&p.response_type=code');
    await parameter(page, 'state').fill('täst&=+ %');
    const shown = await page.getByRole('group', { name: 'The request as it is sent' }).textContent();
    const sent = page.waitForRequest((request) => new URL(request.url()).pathname === '/auth/authorize');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    const request = await sent;
    const headers = await request.allHeaders();
    expect(headers['sluice-lab-controls']).toBe('require-pkce=?0');
    expect(shown).toContain('Sluice-Lab-Controls: require-pkce=?0');
    expect(shown).toContain(`Content-Type: ${headers['content-type']}`);
    expect(shown?.split('\n').at(-1)).toBe(request.postData());
    expect(headers.cookie).toBeUndefined();
  });

  it('walks the whole flow: code, token, data, each filled in from the last', async () => {
    await openBuilder(page);
    await getToken(page);
    const token = card(page, 'Token');
    await token.getByText('at+jwt').waitFor();
    await token.getByText(/Ends in 1[45] min/).waitFor();
    await token.getByText('The data endpoint is among them.').waitFor();
    await page.getByRole('tab', { name: 'Data' }).click();
    await page.getByText('The last token of this session').waitFor();
    await send(page, '/api/data');
    await card(page, 'Response').getByText('200', { exact: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('draws the flow as it grows; an arrow leads to its exchange', async () => {
    await page.getByRole('tab', { name: 'Sequence diagram' }).click();
    await page.getByRole('button', { name: 'client to resource server: GET /api/data' }).first().waitFor();
    await page.getByRole('button', { name: 'client to authorization server: POST /auth/token' }).first().focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('tab', { name: 'Token' }).getAttribute('aria-selected')).resolves.toBe('true');
    await card(page, 'Response').getByText('"refresh_token"').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('keeps the history of the session over a reload, and forgets it when asked to', async () => {
    await openBuilder(page);
    await page.getByRole('tab', { name: /History \([1-9]/ }).click();
    await page
      .getByRole('button', { name: /POST \/auth\/token/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Forget all' }).click();
    await page.getByText('Every request of this session is kept here').waitFor();
    await page.reload();
    await page.getByRole('tab', { name: 'History (0)' }).waitFor();
  });

  it('has a link that restores the state and holds no secret', async () => {
    await openBuilder(page);
    await page.getByRole('radio', { name: 'partial' }).click();
    await page.getByRole('switch', { name: 'Compare with secure config' }).click();
    await parameter(page, 'scope').fill('email');
    await parameter(page, 'state').fill('my-secret-state');
    await page.waitForURL((url) => url.searchParams.get('p.scope') === 'email' && url.searchParams.has('compare'));
    const link = page.url();
    expect(link).not.toContain('my-secret-state');
    await openBuilder(page, link);
    await expect(parameter(page, 'scope').inputValue()).resolves.toBe('email');
    await expect(parameter(page, 'state').inputValue()).resolves.toBe('');
    await expect(page.getByRole('radio', { name: 'partial' }).getAttribute('aria-checked')).resolves.toBe('true');
    await card(page, 'Response (secure config)').waitFor();
  });

  it('compares with the secure configuration, names what blocks, and leads to the evidence', async () => {
    await openBuilder(page);
    await page.getByRole('radio', { name: 'insecure' }).click();
    await page.getByRole('switch', { name: 'Compare with secure config' }).click();
    await parameter(page, 'redirect_uri').fill('https://attacker.example/callback');
    await send(page, '/auth/compare');
    await card(page, 'Response').getByText('HTTP 200').waitFor();
    await card(page, 'Response (secure config)').getByText('HTTP 400').waitFor();
    expect(await page.locator('[data-differs]').count()).toBeGreaterThan(3);
    const blockers = page.getByRole('list', { name: 'Would be blocked by' }).getByRole('link');
    expect(await blockers.allInnerTexts()).toEqual(expect.arrayContaining(['strict-redirect-uri', 'require-pkce']));
    await measured(page);
    expect(await axeFindings(page)).toEqual([]);
    await blockers.filter({ hasText: 'strict-redirect-uri' }).click();
    const row = page.locator('#control-strict-redirect-uri');
    await row.getByText('Codes and tokens are sent to an address of the attacker.').waitFor();
    await row.getByRole('button', { name: /another host POST/ }).click();
    await row.getByRole('group', { name: 'Request: another host' }).waitFor();
    await expect(page.getByRole('heading', { name: /Failed controls \([34]\d\)/ }).count()).resolves.toBe(1);
  });

  it('plays the ten attacks: blocked with every control, through without them', async () => {
    await openBuilder(page, '/oauth?view=replays');
    await page.getByRole('button', { name: 'Play all ten' }).click();
    await page.getByText('Blocked', { exact: true }).nth(9).waitFor();
    await page.getByRole('tab', { name: /Security matrix/ }).waitFor();
    await page.getByRole('radio', { name: 'insecure' }).click();
    await page.getByText('Played with other controls').nth(9).waitFor();
    await page.getByRole('button', { name: 'Play all ten' }).click();
    await page.getByText('Succeeded', { exact: true }).nth(9).waitFor();
    await page.getByRole('button', { name: 'Steps, diagram and exchanges' }).first().click();
    await page
      .getByRole('button', { name: /^attacker to resource server/ })
      .first()
      .click();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('tells its own rate limit from an answer of the lab, with the seconds to wait', async () => {
    const limit = (value: number) =>
      product.admin('PATCH', '/v1/admin/policies', { classes: { auth: { ip: { limit: value, window_seconds: 60 } } } });
    await openBuilder(page);
    expect((await limit(1)).status).toBe(200);
    await send(page, '/auth/authorize');
    await send(page, '/auth/authorize');
    await page.getByText("Refused by Sluice's own rate limit").waitFor();
    await page.getByText(/Wait \d+ s, then send it again/).waitFor();
    expect((await limit(10_000)).status).toBe(200);
  });

  it('sends with the keyboard, and fits a narrow screen', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await openBuilder(page);
    await parameter(page, 'client_id').focus();
    const answered = page.waitForResponse((response) => response.url().endsWith('/auth/authorize'));
    await page.keyboard.press('Control+Enter');
    expect((await answered).status()).toBe(400);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    expect(await axeFindings(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  it('never complains in the console', () => {
    expect(realComplaints(complaints)).toEqual([]);
  });
});
