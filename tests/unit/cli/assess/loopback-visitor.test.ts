import { describe, expect, it } from 'vitest';
import { NEXT_PATH } from '@/cli/assess/loopback-page';
import { isLoopback, LoopbackVisitor } from '@/cli/assess/loopback-visitor';
import { openBrowser } from '@/cli/assess/open-browser';
import type { WantedVisit } from '@/lib/oauth/assessment/target';
import { until } from '@/tests/fixtures/until';

const signal = new AbortController().signal;

/** A visitor on a port of its own, and what it has opened. */
async function listening() {
  const opened: string[] = [];
  const visitor = await LoopbackVisitor.listen('http://127.0.0.1/callback', ({ url }) => opened.push(url));
  const wanted = (state: string): WantedVisit => ({
    url: `https://login.example.com/authorize?state=${state}`,
    purpose: 'a code',
    redirectUri: visitor.redirectUri,
  });
  return { visitor, opened, wanted, [Symbol.asyncDispose]: () => visitor.close() };
}

describe('a browser that comes back to this machine', () => {
  it('hands in the address of its query', async () => {
    await using here = await listening();
    const back = here.visitor.visit(here.wanted('one'), signal);
    expect(here.opened).toEqual(['https://login.example.com/authorize?state=one']);
    const page = await fetch(`${here.visitor.redirectUri}?code=c&state=one`);
    expect(await back).toBe(`${here.visitor.redirectUri}?code=c&state=one`);
    expect(await page.text()).toContain('The assessment goes on');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('hands in what was posted, and a fragment that only its page can see', async () => {
    await using here = await listening();
    const posted = here.visitor.visit(here.wanted('one'), signal);
    await fetch(here.visitor.redirectUri, { method: 'POST', body: new URLSearchParams({ code: 'c', state: 'one' }) });
    expect(await posted).toBe(`${here.visitor.redirectUri}?code=c&state=one#form_post`);

    const shown = here.visitor.visit(here.wanted('two'), signal);
    const page = await (await fetch(here.visitor.redirectUri)).text();
    expect(page).toContain('data-taken="no"');
    await fetch(here.visitor.redirectUri, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'state=two',
    });
    expect(await shown).toBe(`${here.visitor.redirectUri}#state=two`);
  });

  it('is led to each further visit by its own page, and told when it is needed no more', async () => {
    await using here = await listening();
    const { origin } = new URL(here.visitor.redirectUri);
    const first = here.visitor.visit(here.wanted('one'), signal);
    await fetch(`${here.visitor.redirectUri}?state=one`);
    await first;
    const asked = fetch(origin + NEXT_PATH);
    const second = here.visitor.visit(here.wanted('two'), signal);
    expect(await (await asked).json()).toEqual({ url: 'https://login.example.com/authorize?state=two' });
    await fetch(`${here.visitor.redirectUri}?state=two`);
    await second;
    expect(here.opened).toHaveLength(1);
    const last = fetch(origin + NEXT_PATH);
    await until(() => here.visitor.isAwaited);
    await here.visitor.close();
    expect(await (await last).json()).toEqual({ done: true });
  });

  it('is no other page, and no other host', async () => {
    await using here = await listening();
    const { origin } = new URL(here.visitor.redirectUri);
    expect((await fetch(`${origin}/other?code=c`)).status).toBe(404);
    expect((await fetch(here.visitor.redirectUri, { method: 'PUT' })).status).toBe(405);
    expect((await fetch(here.visitor.redirectUri, { method: 'POST', body: 'a'.repeat(70_000) })).status).toBe(413);
  });

  it('is waited for no longer than somebody wants to', async () => {
    await using here = await listening();
    const stop = new AbortController();
    const back = here.visitor.visit(here.wanted('one'), stop.signal);
    stop.abort();
    expect(await back).toBeNull();
  });

  it('is told that a port is taken', async () => {
    await using here = await listening();
    const { port } = new URL(here.visitor.redirectUri);
    const again = LoopbackVisitor.listen(`http://127.0.0.1:${port}/callback`, () => undefined);
    await expect(again).rejects.toThrow('cannot be listened on (EADDRINUSE)');
  });
});

it.each([
  ['http://127.0.0.1:8976/callback', true],
  ['http://[::1]/callback', true],
  ['http://localhost/callback', true],
  ['https://127.0.0.1/callback', false],
  ['http://app.example.com/callback', false],
  ['com.example.app:/callback', false],
])('%s is on this machine: %s', (uri, expected) => {
  expect(isLoopback(uri)).toBe(expected);
});

it('opens nothing but web pages', () => {
  expect(() => openBrowser('file:///etc/passwd', { BROWSER: '/nonexistent/browser' })).not.toThrow();
  expect(() => openBrowser('https://login.example.com', { BROWSER: '/nonexistent/browser' })).not.toThrow();
});
