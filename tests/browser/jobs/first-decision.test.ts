import { describe, expect, it } from 'vitest';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product, QUIET, signedIn } from '../../fixtures/browser-suite';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../../fixtures/product';
import { countSteps } from '../../fixtures/steps';

browserSuite({ signInAt: '/' });

const step = (title: string) => page.getByRole('button', { name: new RegExp(title) });

describe('an empty installation', () => {
  it('shows the way to the first decided request, and no success of its own', async () => {
    await page.getByText('0 of 5 done').waitFor();
    await page.getByText('No request decided yet, except sign-ins to this console').waitFor();
    await expect(page.getByRole('heading', { name: 'Decisions' }).count()).resolves.toBe(0);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('has its first decided request three clicks after its owner opened the sign-in page', async () => {
    // A page that polls would be refused without a session.
    await page.goto(QUIET);
    await page.context().clearCookies();
    await page.goto('/');
    const steps = countSteps();
    await steps.type(page.getByLabel('E-mail'), OWNER_EMAIL);
    await steps.type(page.getByLabel('Password', { exact: true }), OWNER_PASSWORD);
    await steps.click(page.getByRole('button', { name: 'Sign in', exact: true }));
    await steps.click(step('Send a first request'));
    await steps.click(page.getByRole('button', { name: 'Send a request' }));
    await page.getByText('99 of 100 left.').waitFor();
    await page.getByText('Arrived: 1 decision counted, in the chart below.').waitFor();
    await page.getByText('1 of 5 done').waitFor();
    await page.getByRole('heading', { name: 'Decisions' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
    expect([steps.clicks, steps.sentences], steps.taken.join('\n')).toEqual([3, 2]);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('shows what a refusal looks like', async () => {
    await page.getByRole('button', { name: 'Send 100 at once' }).click();
    await page.getByText('99 allowed, 1 refused').waitFor();
    await page.getByRole('link', { name: 'See the refusals' }).waitFor();
  });

  it('makes a token in place that asks for decisions with the text on the page', async () => {
    const text = page.locator('pre').first();
    await text.getByText('YOUR_GATEWAY_TOKEN').waitFor();
    await page.getByRole('button', { name: 'Create a token for it' }).click();
    await page.getByText('shown only now').waitFor();
    const token = (await page.getByRole('status').locator('code').textContent()) ?? '';
    await text.getByText(token).waitFor();
    expect(await text.textContent()).toContain(`server ${new URL(product.origin).host};`);
    await page.getByRole('radio', { name: 'Your code' }).click();
    for (const language of ['TypeScript', 'Python', 'Go', 'Java', 'PHP', 'curl']) {
      await page.getByRole('radio', { name: language }).click();
      await page.locator('pre').first().getByText(token).waitFor();
    }
    const call = await fetch(`${product.origin}/v1/check`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ method: 'GET', path: '/orders', ip: '203.0.113.8' }),
    });
    expect(call.status).toBe(200);
    await page.getByText('A gateway has asked for a decision').waitFor();
    await page.getByText('2 of 5 done').waitFor();
  });

  it('skips a step, hides the steps, and brings them back', async () => {
    await step('Invite someone').click();
    await page.getByRole('button', { name: 'Skip this step' }).last().click();
    await page.getByText('Skipped', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Hide' }).click();
    await page.getByText('2 first steps left.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Show them' }).click();
    await page.getByText('2 of 5 done').waitFor();
    expect(complaints).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('reads well on a phone in the %s theme', async (colorScheme) => {
    const phone = await signedIn({ colorScheme, viewport: { width: 390, height: 844 } });
    await phone.page.goto('/');
    await phone.page.getByText('2 of 5 done').waitFor();
    expect(await axeFindings(phone.page)).toEqual([]);
    const tooWide = await phone.page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    expect(tooWide).toBeLessThanOrEqual(0);
  });
});
