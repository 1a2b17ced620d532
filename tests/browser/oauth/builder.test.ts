import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, complaints, page, product } from '../../fixtures/browser-suite';
import { expectGoodLooks, findUnlinkedDocuments } from '../../fixtures/looks';
import { partsAreMissing } from '../../fixtures/programs';
import { countSteps } from '../../fixtures/steps';
import {
  card,
  controlSwitch,
  exchangesOf,
  measured,
  measureLabOnce,
  openBuilder,
  parameter,
  realComplaints,
  runFlow,
  send,
  startLab,
  tab,
} from './lab-page';

browserSuite({ start: startLab, signInAt: '/oauth', watch: () => measureLabOnce(page) });

describe('the OAuth builder', () => {
  it('shows a placeholder until something is sent, and a matrix without a failed control', async () => {
    await openBuilder(page);
    await card(page, 'Result').getByText('Nothing sent yet').waitFor();
    await page.getByRole('status', { name: 'Grade' }).filter({ hasText: 'A' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await tab(page, 'Result', /^Matrix/).click();
    await page.getByText('Failed controls (0)').waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('warns at the field that a warning concerns, and stops when it no longer holds', async () => {
    await openBuilder(page);
    const described = async (name: string) => {
      const id = await parameter(page, name).getAttribute('aria-describedby');
      return page.locator(`[id="${id}"]`).textContent();
    };
    expect(await described('state')).not.toContain('CSRF');
    await parameter(page, 'state').fill('');
    await parameter(page, 'code_challenge').fill('');
    expect(await parameter(page, 'code_challenge_method').inputValue()).toBe('');
    expect(await described('state')).toContain('No state parameter is sent: the flow is open to CSRF.');
    expect(await described('code_challenge')).toContain('will fail without code_challenge');
    expect(await described('redirect_uri')).not.toContain('OFF');
    await (await controlSwitch(page, /The redirect URI is compared exactly/)).click();
    expect(await described('redirect_uri')).toContain('Strict redirect-URI validation is OFF');
    await page.getByRole('button', { name: 'Generate', exact: true }).click();
    expect(await described('state')).not.toContain('CSRF');
    await tab(page, 'Request', /Data/).click();
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
  });

  it.each([
    ['curl', 'sh', ['-ec']],
    ['fetch', 'node', ['--input-type=module', '-e']],
  ])('copies the request as %s, which sends the same', async (name, program, options) => {
    if (name === 'curl' && partsAreMissing('the curl command of the builder', 'curl')) return;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: product.origin });
    await openBuilder(page, '/oauth?tab=authorize&off=require-pkce&omit=code_challenge&p.client_id=demo-client');
    await parameter(page, 'response_type').fill('code');
    await parameter(page, 'redirect_uri').fill('https://app.example.com/callback');
    await parameter(page, 'state').fill(`it's "&=$(id) %20+`);
    for (const encoding of ['Form', 'JSON']) {
      await page.getByRole('radio', { name: encoding }).click();
      await page.getByRole('button', { name, exact: true }).click();
      const code = await page.evaluate(() => navigator.clipboard.readText());
      const { stdout } = await promisify(execFile)(program, [...options, code]);
      expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toMatchObject({ state: `it's "&=$(id) %20+` });
    }
  });

  it('goes step by step: the first request works as it stands, and each fills in the next', async () => {
    await openBuilder(page);
    await send(page, '/auth/authorize');
    await exchangesOf(page).getByText('200', { exact: true }).waitFor();
    const challenge = await parameter(page, 'code_challenge').inputValue();
    expect(challenge).toMatch(/^[\w-]{43}$/);
    await tab(page, 'Request', /Token/).click();
    await expect.poll(() => parameter(page, 'code').inputValue()).toMatch(/^slc_/);
    expect(await parameter(page, 'code_verifier').inputValue()).toMatch(/^[\w-]{43}$/);
    await send(page, '/auth/token');
    await exchangesOf(page).getByText('access token, refresh token, ID token').waitFor();
    await tab(page, 'Request', /Data/).click();
    await page.getByText('The last token of this session').waitFor();
    await send(page, '/api/data');
    await exchangesOf(page).nth(2).getByText('200', { exact: true }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('judges the tokens of the flow, and hands them to the workbench', async () => {
    await tab(page, 'Result', 'Token').click();
    const token = card(page, 'Token');
    await token.getByText(/^Verified\. The ES256 signature/).waitFor();
    await token.getByText(/in 1[45] min/).waitFor();
    await token.getByRole('button', { name: /^Passed/ }).click();
    await token.getByText('The expected audience is named.').waitFor();
    await token.getByText('0 failed', { exact: true }).waitFor();
    const workbench = token.getByRole('link', { name: /Open in the token workbench/ });
    expect(await workbench.getAttribute('href')).toMatch(/^\/oauth\/token#token=eyJ/);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('draws the flow as it grows; an arrow leads to its exchange', async () => {
    await tab(page, 'Result', 'Sequence').click();
    await page.getByRole('button', { name: 'client to resource server: GET /api/data' }).first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'client to authorization server: POST /auth/token' }).first().focus();
    await page.keyboard.press('Enter');
    await expect(tab(page, 'Request', /Token/).getAttribute('aria-selected')).resolves.toBe('true');
    await card(page, 'Response').getByText('"refresh_token"').waitFor();
  });

  it('keeps the history of the session over a reload, and forgets it when asked to', async () => {
    await openBuilder(page, '/oauth?view=sequence');
    const history = card(page, 'History');
    await history
      .getByRole('button', { name: /POST \/auth\/token/ })
      .first()
      .waitFor();
    await history.getByRole('button', { name: 'Forget all' }).click();
    await page.getByText('Nothing was sent yet').waitFor();
    await page.reload();
    await page.getByText('Nothing was sent yet').waitFor();
  });

  it('has a link that restores the state and holds no secret', async () => {
    await openBuilder(page);
    await page.getByRole('radio', { name: 'partial' }).click();
    await page.getByRole('switch', { name: 'Compare with secure config' }).click();
    await parameter(page, 'scope').fill('email');
    await parameter(page, 'state').fill('my-secret-state');
    await parameter(page, 'code_challenge').fill('');
    await page.waitForURL((url) => url.searchParams.get('p.scope') === 'email' && url.searchParams.has('omit'));
    const link = page.url();
    expect(link).not.toContain('my-secret-state');
    await openBuilder(page, link);
    await expect(parameter(page, 'scope').inputValue()).resolves.toBe('email');
    await expect(parameter(page, 'state').inputValue()).resolves.toMatch(/^[\w-]{43}$/);
    await expect(parameter(page, 'code_challenge').inputValue()).resolves.toBe('');
    await expect(page.getByRole('radio', { name: 'partial' }).getAttribute('aria-checked')).resolves.toBe('true');
    const compares = page.getByRole('switch', { name: 'Compare with secure config' });
    await expect(compares.getAttribute('aria-checked')).resolves.toBe('true');
  });

  it('leads from a refusal to the control behind it, without any comparison', async () => {
    await openBuilder(page);
    await parameter(page, 'code_challenge').fill('');
    await send(page, '/auth/authorize');
    await page.getByRole('list', { name: 'Blocked by' }).getByRole('link', { name: 'require-pkce' }).click();
    await page.locator('#control-require-pkce').getByText('RFC 9700 2.1.1').waitFor();
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
    await card(page, 'Result').getByText('Accepted, and should have been refused').waitFor();
    const blockers = page.getByRole('list', { name: 'Would be blocked by' }).getByRole('link');
    expect(await blockers.allInnerTexts()).toContain('strict-redirect-uri');
    await measured(page);
    expect(await axeFindings(page)).toEqual([]);
    await blockers.filter({ hasText: 'strict-redirect-uri' }).click();
    const row = page.locator('#control-strict-redirect-uri');
    await row.getByText('Codes and tokens are sent to an address of the attacker.').waitFor();
    await row
      .getByRole('button', { name: /another host POST/ })
      .first()
      .click();
    await row.getByRole('group', { name: 'Request: another host' }).waitFor();
    expect(await findUnlinkedDocuments(page)).toEqual([]);
  });

  it('opens the first step of a flow that the secure configuration would block', async () => {
    await openBuilder(page);
    await page.getByRole('radio', { name: 'insecure' }).click();
    await page.getByRole('switch', { name: 'Compare with secure config' }).click();
    await parameter(page, 'redirect_uri').fill('https://attacker.example/callback');
    await runFlow(page);
    const blockers = page.getByRole('list', { name: 'Would be blocked by' }).getByRole('link');
    await blockers.filter({ hasText: 'strict-redirect-uri' }).waitFor();
    await card(page, 'Response (secure config)').getByText('HTTP 400').waitFor();
  });

  it('marks no difference in a request that both configurations answer alike', async () => {
    await openBuilder(page, '/oauth?compare=1');
    await send(page, '/auth/compare');
    await page.getByText('The secure configuration accepts this request as well.').waitFor();
    expect(await page.locator('[data-differs]').count()).toBe(0);
  });

  it('filters the matrix; the address keeps it', async () => {
    await openBuilder(page, '/oauth?view=matrix&off=require-pkce');
    await page.getByRole('radio', { name: 'Failed' }).click();
    await page.getByRole('heading', { name: /^Passed controls/ }).waitFor({ state: 'detached' });
    await page
      .getByRole('button', { name: /^PKCE is not required/ })
      .first()
      .waitFor();
    await page.getByRole('radio', { name: 'All', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search controls' }).fill('audience');
    await page.getByRole('combobox', { name: 'Area' }).selectOption('resource');
    await page.waitForURL(
      (url) => url.searchParams.get('q') === 'audience' && url.searchParams.get('area') === 'resource',
    );
    await openBuilder(page, page.url());
    await expect(page.getByRole('searchbox', { name: 'Search controls' }).inputValue()).resolves.toBe('audience');
    await page.locator('#control-validate-audience').waitFor();
    await expect(page.locator('#control-require-pkce').count()).resolves.toBe(0);
  });

  it('has played the attacks: blocked with every control, through without them', async () => {
    await openBuilder(page, '/oauth?view=attacks');
    await page.getByText('None of 10 attacks succeed').waitFor();
    await page.getByText('Blocked', { exact: true }).nth(9).waitFor();
    await page.getByRole('radio', { name: 'insecure' }).click();
    await page.getByText('10 of 10 attacks succeed').waitFor();
    await card(page, 'Result').getByRole('button', { name: 'Play Code interception' }).click();
    await page.getByRole('button', { name: /^attacker to resource server/ }).click();
    await page
      .getByRole('group', { name: /^Request: / })
      .first()
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
  });

  it('tells its own rate limit from an answer of the lab, with the limit and the seconds to wait', async () => {
    const limit = (value: number) =>
      product.admin('PATCH', '/v1/admin/policies', { classes: { lab: { ip: { limit: value, window_seconds: 60 } } } });
    await openBuilder(page);
    expect((await limit(1)).status).toBe(200);
    await send(page, '/auth/authorize');
    await send(page, '/auth/authorize');
    await page.getByText("Refused by Sluice's own rate limit").waitFor();
    await page.getByText(/The limit in force is 1 request.* Wait \d+ s, then send it again/).waitFor();
    expect((await limit(10_000)).status).toBe(200);
  });
});

describe.each([
  [1440, 900],
  [390, 844],
])('the flow at %d px', (width, height) => {
  const inSight = (name: string) =>
    card(page, name).evaluate((pane) => {
      const { top } = pane.getBoundingClientRect();
      return top >= 0 && top < window.innerHeight / 2;
    });

  it('runs by one button, and brings its three exchanges into view', async () => {
    await page.setViewportSize({ width, height });
    await openBuilder(page);
    await runFlow(page);
    expect(await exchangesOf(page).getByText('200', { exact: true }).count()).toBe(3);
    await card(page, 'Response').getByText('You have reached the protected resource.').waitFor();
    await expect.poll(() => inSight('Result')).toBe(true);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('shows what a switch that is flipped has broken, and the attack that succeeds now', async () => {
    await (await controlSwitch(page, /^PKCE is required/)).click();
    const effect = card(page, 'Effect of require-pkce');
    await effect.getByRole('button', { name: 'PKCE is not required' }).waitFor();
    await page.getByRole('status', { name: 'Grade' }).filter({ hasText: 'F' }).waitFor();
    await effect.getByRole('button', { name: 'Play Code interception' }).click();
    const story = page.getByRole('group', { name: 'The attack step by step' });
    await story.getByText("Reads the victim's data").waitFor();
    await page.getByText("The attacker read the victim's data.").waitFor();
    await expect.poll(() => inSight('Result')).toBe(width >= 1280);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await axeFindings(page)).toEqual([]);
  });

  it('shows that the attack is blocked again', async () => {
    await (await controlSwitch(page, /^PKCE is required/)).click();
    const effect = card(page, 'Effect of the change');
    await effect.getByText('1 more attack is blocked than before.').waitFor();
    await effect.getByText('1 more control passes than before.').waitFor();
  });

  it('sends with the keyboard', async () => {
    await openBuilder(page);
    await parameter(page, 'client_id').focus();
    const answered = page.waitForResponse((response) => response.url().endsWith('/auth/authorize'));
    await page.keyboard.press('Control+Enter');
    expect((await answered).status()).toBe(200);
    await expect.poll(() => inSight('Result')).toBe(true);
    await page.setViewportSize({ width: 1280, height: 720 });
  });
});

describe('a token for another service', () => {
  const validation = () => page.getByRole('switch', { name: 'Audience validation' });

  it('takes two clicks, and the data endpoint refuses it', async () => {
    await openBuilder(page);
    await page.getByRole('button', { name: 'Another service' }).click();
    await runFlow(page);
    expect(await parameter(page, 'resource').count()).toBe(0);
    await exchangesOf(page).nth(2).getByText('401', { exact: true }).waitFor();
    await page.getByRole('list', { name: 'Blocked by' }).getByRole('link', { name: 'validate-audience' }).waitFor();
    await tab(page, 'Request', /Data/).click();
    await page.getByText('The token is for https://another-service.example/').waitFor();
    await expectGoodLooks(page);
  });

  it('is accepted with audience validation off, which the switch says', async () => {
    await validation().click();
    await page.getByText('(validation OFF)').waitFor();
    await page.getByText('Audience validation is OFF: a token for another service is accepted.').waitFor();
    await send(page, '/api/data');
    await card(page, 'Response').getByText('You have reached the protected resource.').waitFor();
    await card(page, 'Result').getByText('Accepted, and should have been refused').waitFor();
    await expectGoodLooks(page);
  });

  it('is accepted here and refused by the secure configuration, side by side', async () => {
    await page.getByRole('switch', { name: 'Compare with secure config' }).click();
    await send(page, '/auth/compare');
    await card(page, 'Response').getByText('HTTP 200').waitFor();
    await card(page, 'Response (secure config)').getByText('HTTP 401').waitFor();
    const blockers = page.getByRole('list', { name: 'Would be blocked by' }).getByRole('link');
    expect(await blockers.allInnerTexts()).toEqual(['validate-audience']);
    await expectGoodLooks(page);
    await page.getByRole('switch', { name: 'Compare with secure config' }).click();
    await validation().click();
  });
});

const FIRST_LESSONS = [
  'The audience of a token is checked',
  'The redirect URI is compared exactly',
  'The flow is protected against CSRF: state, PKCE or a nonce',
  'PKCE is required',
];

/** True if the centre of an element is visible. */
const isInSight = (element: Element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
};

describe('a lesson', () => {
  /** Makes the browser one that never opened the builder. */
  const forgetLessons = () =>
    page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
  const lesson = (title: string) => card(page, `Lesson: ${title}`);

  it('is two clicks away from the navigation: the request, both answers, the line and the gain', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/audit');
    await forgetLessons();
    const steps = countSteps();
    await steps.click(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'OAuth builder' }));
    await steps.click(card(page, 'Result').getByRole('button', { name: `Show me: ${FIRST_LESSONS[0]}` }));
    const shown = lesson('The audience of a token is checked');
    const answer = 'is answered with 200; the secure configuration answers 401.';
    await shown.getByText(`${answer} A token issued for another service is accepted here.`).waitFor();
    await shown.getByRole('group', { name: 'Response, line by line' }).getByText('differs: HTTP 200').waitFor();
    const refusal = shown.getByRole('group', { name: 'Response (secure config), line by line' });
    await expect.poll(() => refusal.getByText(/differs:.*validate-audience/).evaluate(isInSight)).toBe(true);
    await expect.poll(() => parameter(page, 'resource').inputValue()).toBe('https://another-service.example/');
    await card(page, 'Controls').getByText('1 off', { exact: true }).waitFor();
    expect([steps.clicks, steps.sentences], steps.taken.join('\n')).toEqual([2, 0]);
    await expectGoodLooks(page);
  });

  it('goes on to the next ones by the keyboard, each with a request of its own', async () => {
    for (const [index, title] of FIRST_LESSONS.entries()) {
      const shown = lesson(title);
      await shown.locator('[data-differs]').first().waitFor();
      await shown.getByText(`${index + 1} of ${SWITCHES.length}`).waitFor();
      const panel = page.getByRole('tabpanel', { name: 'Lessons' });
      await expect.poll(() => panel.evaluate((element) => element === document.activeElement)).toBe(true);
      for (const key of ['Tab', 'Tab', 'Enter']) await page.keyboard.press(key);
    }
    await expect.poll(() => parameter(page, 'resource').inputValue()).toBe('');
    await expect.poll(() => parameter(page, 'code_challenge').inputValue()).toMatch(/./);
  });

  it('fills in a request that has the same answers when a person runs it', async () => {
    await openBuilder(page);
    await card(page, 'Result')
      .getByRole('button', { name: `Show me: ${FIRST_LESSONS[3]}` })
      .click();
    await lesson('PKCE is required').locator('[data-differs]').first().waitFor();
    await expect.poll(() => parameter(page, 'code_challenge').inputValue()).toBe('');
    await send(page, '/auth/compare');
    await card(page, 'Response').getByText('HTTP 200').waitFor();
    await card(page, 'Response (secure config)').getByText('HTTP 400').waitFor();
  });

  it('is counted in this browser, and opens again by a link', async () => {
    await tab(page, 'Result', 'Lessons').click();
    await page.waitForURL((url) => url.searchParams.get('lesson') === 'require-pkce');
    await page.reload();
    await lesson('PKCE is required').locator('[data-differs]').first().waitFor();
    await page.getByRole('button', { name: 'All lessons' }).click();
    await page.getByText(`5 of ${SWITCHES.length} opened in this browser.`).waitFor();
    const titles = await card(page, 'Lessons').getByRole('listitem').allInnerTexts();
    expect(titles.slice(0, 4).map((text) => text.split('\n')[0])).toEqual(FIRST_LESSONS);
    expect(
      await card(page, 'Lessons')
        .getByRole('button', { name: /^Show me: / })
        .count(),
    ).toBe(SWITCHES.length);
    await expectGoodLooks(page);
  });

  it('is offered at each switch', async () => {
    const switches = card(page, 'Controls').getByRole('switch');
    const areas = card(page, 'Controls').locator('button[aria-expanded=false]');
    while ((await areas.count()) > 0) await areas.last().click();
    expect(await switches.count()).toBe(SWITCHES.length);
    expect(
      await card(page, 'Controls')
        .getByRole('button', { name: /^Show me: / })
        .count(),
    ).toBe(SWITCHES.length);
    await expectGoodLooks(page);
  });
});

describe('the console of the browser', () => {
  it('has no complaint', () => {
    expect(realComplaints(complaints)).toEqual([]);
  });
});
