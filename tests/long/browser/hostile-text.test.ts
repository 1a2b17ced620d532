import { describe, expect, it } from 'vitest';
import { card, openBuilder, parameter, realComplaints, startLab } from '../../browser/oauth/lab-page';
import { browserSuite, complaints, page, product } from '../../fixtures/browser-suite';

/** Each sets `pwned` where it is run. */
const RUN = `window['pwned']=1`;
const TAGS = ['script', 'img', 'svg', 'iframe', 'body', 'video', 'input', 'details', 'marquee', 'object'];
const PAYLOADS: readonly string[] = [
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script>`,
  `"><script>${RUN}</script>`,
  `'><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`,
  `</textarea><script>${RUN}</script>`,
  `</style><script>${RUN}</script>`,
  `--><script>${RUN}</script>`,
  `]]><script>${RUN}</script>`,
  `<SCRIPT>${RUN}</SCRIPT>`,
  `<scr<script>ipt>${RUN}</scr</script>ipt>`,
  `<script src=data:text/javascript,${RUN}></script>`,
  `<script type=module>${RUN}</script>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<template><script>${RUN}</script></template>`,
  `<math><mtext><table><mglyph><style><img src=x onerror=${RUN}>`,
  `<svg><style><img src=x onerror=${RUN}></style></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg/onload=${RUN}>`,
  `<svg><a xlink:href="javascript:${RUN}"><text y=20>x</text></a></svg>`,
  `<svg><use href="data:image/svg+xml,<svg onload=${RUN}>"></use></svg>`,
  `<iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
  `<iframe src="javascript:parent.pwned=1"></iframe>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="javascript:${RUN}">`,
  `<form action="javascript:${RUN}"><button autofocus>x</button></form>`,
  `<button formaction="javascript:${RUN}">x</button>`,
  `<a href="javascript:${RUN}">x</a>`,
  `<a href="&#106;avascript:${RUN}">x</a>`,
  `<a href="java\tscript:${RUN}">x</a>`,
  `<base href="javascript:/a/-${RUN}///////">`,
  `<meta http-equiv=refresh content="0;url=javascript:${RUN}">`,
  `<link rel=stylesheet href="data:text/css,*{x:expression(${RUN})}">`,
  `<style>@import 'javascript:${RUN}';</style>`,
  `<div style="background:url(javascript:${RUN})">`,
  `<input autofocus onfocus=${RUN}>`,
  `" autofocus onfocus="${RUN}" x="`,
  `' autofocus onfocus='${RUN}' x='`,
  `" onmouseover="${RUN}`,
  `javascript:${RUN}`,
  `JaVaScRiPt:${RUN}`,
  `data:text/html,<script>opener.pwned=1</script>`,
  `{{constructor.constructor("${RUN}")()}}`,
  `\${${RUN}}`,
  `#{${RUN}}`,
  `<%= ${RUN} %>`,
  `__proto__`,
  `constructor`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  `%3Cscript%3E${RUN}%3C/script%3E`,
  `\\u003cscript\\u003e${RUN}\\u003c/script\\u003e`,
  `+ADw-script+AD4-${RUN}+ADw-/script+AD4-`,
  `\u202e<script>${RUN}</script>`,
  `＜script＞${RUN}＜/script＞`,
  ...TAGS.slice(1).map((tag) => `<${tag} src=x onerror=${RUN} onload=${RUN} ontoggle=${RUN} onstart=${RUN} open>`),
];

async function watch(): Promise<void> {
  await page.addInitScript(() => {
    Object.assign(window, { violations: [] });
    document.addEventListener('securitypolicyviolation', (event) => {
      (window as unknown as { violations: string[] }).violations.push(
        `${event.violatedDirective} ${event.blockedURI} ${event.sample} ${event.sourceFile}:${event.lineNumber}`,
      );
    });
  });
  page.on('dialog', (dialog) => void dialog.dismiss());
}
browserSuite({ start: startLab, watch, signInAt: '/oauth' });

async function nothingRan(): Promise<void> {
  const seen = await page.evaluate(() => ({
    pwned: 'pwned' in window,
    // Markup that was taken for markup tries to load and run something, which the policy reports.
    violations: (window as unknown as { violations: string[] }).violations,
    markup: document.querySelectorAll('[onerror],[onload],[onfocus],[onmouseover],[src="x"],marquee,object,embed')
      .length,
  }));
  expect(seen).toEqual({ pwned: false, violations: [], markup: 0 });
  expect(realComplaints(complaints)).toEqual([]);
}

const made = async (method: string, path: string, body: object) =>
  (await product.admin(method, path, body)).status < 300;
/** Sends something for each payload; answers how many were taken. What is refused for its form is safe as well. */
async function forEach(send: (payload: string, index: number) => Promise<boolean>): Promise<number> {
  let taken = 0;
  for (const [index, payload] of PAYLOADS.entries()) if (await send(payload, index)) taken += 1;
  return taken;
}

const jwt = (claims: object) =>
  [JSON.stringify({ alg: 'none', kid: PAYLOADS[0] }), JSON.stringify(claims)]
    .map((text) => Buffer.from(text).toString('base64url'))
    .concat('x')
    .join('.');
const byPayload = Object.fromEntries(PAYLOADS.map((payload, index) => [`c${index}`, payload]));
/** The pages show rows as they are scrolled to. */
async function walk(path: string): Promise<void> {
  await page.goto(path);
  await page.locator('h1').first().waitFor();
  await page.waitForLoadState('networkidle');
  for (let step = 0; step < 8; step += 1) {
    await page.mouse.wheel(0, 900);
    await page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

describe(`${PAYLOADS.length} payloads are text in every place`, () => {
  it('of which there are enough', () => expect(PAYLOADS.length).toBeGreaterThanOrEqual(60));

  it('reason and identifier of the allowlist', async () => {
    const entry = (payload: string, index: number) => ({
      type: 'user_id',
      identifier: index % 2 === 0 ? payload : `user-${index}`,
      reason: payload,
    });
    expect(
      await forEach((payload, index) => made('POST', '/v1/admin/rate-limit/allowlist', entry(payload, index))),
    ).toBeGreaterThan(50);
    await walk('/allowlist');
    await page.getByText("window['pwned']=1").first().waitFor();
    await nothingRan();
  });

  it('identifier and reason of overrides', async () => {
    const override = (payload: string) => ({
      type: 'user_id',
      identifier: payload,
      class: 'read',
      limit: 5,
      window_seconds: 60,
      reason: payload,
    });
    expect(
      await forEach((payload) => made('PUT', '/v1/admin/rate-limit/overrides', override(payload))),
    ).toBeGreaterThan(50);
    await walk('/limits/overrides');
    await nothingRan();
  });

  it('names of keys and of their users', async () => {
    const key = (payload: string) => ({ name: payload.slice(0, 90), tier: 'free', user_id: payload });
    expect(await forEach((payload) => made('POST', '/v1/admin/api-keys', key(payload)))).toBeGreaterThan(40);
    await walk('/keys');
    await nothingRan();
  });

  it('names of tokens and members', async () => {
    await forEach((payload) => made('POST', '/v1/admin/tokens', { name: payload.slice(0, 90), role: 'viewer' }));
    await forEach((payload, index) =>
      made('POST', '/v1/admin/members', { email: `m${index}@example.com`, role: 'viewer', name: payload.slice(0, 90) }),
    );
    await walk('/settings');
    await nothingRan();
  });

  it('paths, users and identifiers of refused requests', async () => {
    await product.admin('PUT', '/v1/admin/rate-limit/overrides', {
      type: 'ip',
      identifier: '203.0.113.9',
      class: 'sensitive',
      limit: 1,
      window_seconds: 60,
      reason: 'x',
    });
    const check = (payload: string) => ({
      ip: '203.0.113.9',
      class: 'sensitive',
      method: 'GET',
      path: `/${payload}`,
      user_id: payload,
      client_id: payload,
    });
    await forEach((payload) => made('POST', '/v1/check', check(payload)));
    await walk('/decisions');
    await nothingRan();
    await walk('/');
    await nothingRan();
  });

  it('the audit log of all of it', async () => {
    await walk('/audit');
    await page.getByText('allowlist').first().waitFor();
    await nothingRan();
  });

  it('the address of every page', async () => {
    for (const payload of PAYLOADS.slice(0, 12)) {
      const text = encodeURIComponent(payload);
      await page.goto(`/allowlist?q=${text}&type=${text}#${text}`);
      await nothingRan();
    }
    await page.goto(
      `/sign-in?callbackUrl=${encodeURIComponent(PAYLOADS[39] ?? '')}&error=${encodeURIComponent(PAYLOADS[0] ?? '')}`,
    );
    await nothingRan();
  });

  it('claims, header and signature of a token', async () => {
    await openBuilder(page, '/oauth?tab=data&view=token');
    await page.getByRole('switch', { name: 'Use last token' }).click();
    for (const claims of [byPayload, { sub: PAYLOADS, ...Object.fromEntries(PAYLOADS.map((name) => [name, 1])) }]) {
      await parameter(page, 'access_token').fill(jwt(claims));
      await card(page, 'Token analysis').waitFor();
      await nothingRan();
    }
  });

  it('headers, error and description of an answer', async () => {
    let payload = '';
    await page.route('**/auth/authorize', (route) =>
      route.fulfill({
        status: 400,
        contentType: 'application/json',
        headers: { 'X-Note': payload.replaceAll(/[^ -~]/g, '') },
        body: JSON.stringify({ ...byPayload, error: payload, error_description: payload, redirect_to: payload }),
      }),
    );
    await openBuilder(page);
    for (payload of PAYLOADS) {
      const answered = page.waitForResponse('**/auth/authorize');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await answered;
    }
    await page.getByRole('region', { name: 'Response', exact: true }).getByText('error_description').first().waitFor();
    await nothingRan();
    await page.unroute('**/auth/authorize');
  });

  it('what comes to the callback', async () => {
    for (const payload of PAYLOADS) {
      const query = new URLSearchParams({ code: payload, state: payload, error: payload, error_description: payload });
      await page.goto(`/oauth/callback?${query}`);
      await nothingRan();
    }
  });

  it('redirect_uri, client and state at the pages of the authorization server', async () => {
    for (const payload of PAYLOADS) {
      for (const name of ['redirect_uri', 'state', 'scope', 'client_id']) {
        const query = new URLSearchParams({
          response_type: 'code',
          client_id: 'demo-client',
          redirect_uri: 'https://app.example.com/callback',
          scope: 'openid profile',
          state: 'x',
          code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
          code_challenge_method: 'S256',
          [name]: payload,
        });
        const answer = await fetch(`${product.origin}/auth/authorize?${query}`, {
          headers: { accept: 'text/html' },
          redirect: 'manual',
        });
        const html = await answer.text();
        const location = answer.headers.get('location');
        if (location !== null) expect(location).toMatch(/^https:\/\/app\.example\.com\/callback\?/);
        if (location !== null || !answer.headers.get('content-type')?.startsWith('text/html')) continue;
        expect(answer.headers.get('content-security-policy') ?? '').toContain("default-src 'none'");
        expect(html).not.toContain(`<script`);
        expect(html).not.toMatch(/<[^>]+\s(?:onerror|onload|onfocus|ontoggle|onstart|onmouseover)=/i);
        expect(html).not.toMatch(/(?:href|action|src)\s*=\s*["']?\s*(?:javascript|data):/i);
      }
    }
  });
});
