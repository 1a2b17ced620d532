import { beforeEach, describe, expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, visitor } from '../../fixtures/browser-suite';
import { card, measureLabOnce, openBuilder, parameter, realComplaints, startLab } from './lab-page';

// No dot in it: it must also pass for a part of a token.
const SCRIPT = `</script><script>window['pwned']=1</script><img src=x onerror="window['pwned']=1">`;
const RIGHT_TO_LEFT = '\u202e';

const encode = (text: string) => Buffer.from(text).toString('base64url');
const token = (payload: string, header = '{"alg":"none"}') => `${encode(header)}.${encode(payload)}.${SCRIPT}`;
const pwned = () => page.evaluate(() => 'pwned' in window);

async function present(text: string): Promise<void> {
  await openBuilder(page, '/oauth?tab=data&view=token');
  await page.getByRole('switch', { name: 'Use last token' }).click();
  await parameter(page, 'access_token').fill(text);
  await card(page, 'Token analysis').waitFor();
}

browserSuite({ start: startLab, signInAt: '/oauth', watch: () => measureLabOnce(page) });
beforeEach(() => {
  complaints.length = 0;
});

describe('hostile text in the builder', () => {
  it('shows markup in claims as text', async () => {
    await present(token(JSON.stringify({ sub: SCRIPT, [SCRIPT]: SCRIPT, exp: 1e300, aud: { a: SCRIPT } })));
    await card(page, 'Token').getByRole('definition').filter({ hasText: '<script>' }).first().waitFor();
    expect(await pwned()).toBe(false);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(realComplaints(complaints)).toEqual([]);
  });

  it('makes direction marks and control characters visible', async () => {
    await present(token(JSON.stringify({ sub: `admin${RIGHT_TO_LEFT}nimda`, name: 'a\u0000b\u200bc' })));
    await card(page, 'Token').getByText('admin\\u{202e}nimda').first().waitFor();
    expect(await card(page, 'Token').textContent()).not.toContain(RIGHT_TO_LEFT);
  });

  it('survives a claim that nests 200 levels deep', async () => {
    await present(token(`{"deep":${'['.repeat(200)}${']'.repeat(200)}}`));
    await card(page, 'Token').getByText('[[[[[[[[').first().waitFor();
  });

  it('survives a token of 1 MB, and says what became of it when it is sent', async () => {
    await present('x'.repeat(1_048_576));
    await page.getByText('It has 1,048,576 characters').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await card(page, 'Result')
      .getByText(/^(431|413|400|401)$|No response/)
      .first()
      .waitFor();
    expect(await pwned()).toBe(false);
  });

  it('shows an answer with hostile text as text', async () => {
    await page.route('**/auth/authorize', (route) =>
      route.fulfill({
        status: 400,
        contentType: 'application/json',
        headers: { 'X-Note': SCRIPT },
        body: JSON.stringify({ error: SCRIPT, error_description: `x${RIGHT_TO_LEFT}y`, state: SCRIPT }),
      }),
    );
    await openBuilder(page);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await card(page, 'Response').getByText('x\\u{202e}y').waitFor();
    await page.getByRole('tab', { name: 'Sequence' }).click();
    expect(await pwned()).toBe(false);
    expect(await axeFindings(page)).toEqual([]);
    await page.unroute('**/auth/authorize');
    await page.getByRole('button', { name: 'Forget all' }).click();
  });

  it('takes nothing hostile from a link', async () => {
    const query = new URLSearchParams({
      tab: 'authorize',
      'p.scope': SCRIPT,
      'p.code': 'stolen',
      off: `${SCRIPT} par`,
    });
    await openBuilder(page, `/oauth?${query}`);
    await expect(parameter(page, 'scope').inputValue()).resolves.toBe(SCRIPT);
    await page.getByText('1 off', { exact: true }).waitFor();
    await expect(parameter(page, 'code').count()).resolves.toBe(0);
    expect(await pwned()).toBe(false);
  });
});

describe('the callback page', () => {
  it('works without signing in, shows what came as text, and clears the address', async () => {
    const stranger = await visitor();
    const query = new URLSearchParams({ code: `slc_${SCRIPT}`, state: `a${RIGHT_TO_LEFT}b`, iss: product.origin });
    await stranger.page.goto(`/oauth/callback?${query}`);
    await stranger.page.getByText('a\\u{202e}b').waitFor();
    await stranger.page.waitForURL((url) => url.search === '');
    expect(await stranger.page.evaluate(() => 'pwned' in window)).toBe(false);
    expect(await axeFindings(stranger.page)).toEqual([]);
    expect(stranger.complaints).toEqual([]);
  });

  it('hands the code to the builder of the same tab and to one in another tab', async () => {
    await openBuilder(page);
    await parameter(page, 'state').fill('s-1');
    const other = await page.context().newPage();
    await other.goto(`/oauth/callback?${new URLSearchParams({ code: 'slc_one', state: 's-1', iss: product.origin })}`);
    await page.getByText('The callback received a code').waitFor();
    await page.getByText('The state is the one in the Authorize tab.').waitFor();
    await page.getByRole('button', { name: 'Use the code' }).click();
    await expect(parameter(page, 'code').inputValue()).resolves.toBe('slc_one');
    await other.getByRole('link', { name: 'Open the builder' }).click();
    await other.getByText('The callback received a code').waitFor();
    await other.getByText('The state is not the one in the Authorize tab').waitFor();
    await other.close();
  });
});
