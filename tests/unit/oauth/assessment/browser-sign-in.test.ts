import { describe, expect, test } from 'vitest';
import { BrowserVisits } from '@/lib/oauth/assessment/browser-visits';
import { assessServer, everythingOf, idsOf } from '@/tests/fixtures/assess-server';
import { CLIENTS, oidcServer, person } from '@/tests/fixtures/oidc-server';

describe('a person signs in with a browser', () => {
  test('once, and everything is judged that a cookie would show', async () => {
    await using server = await oidcServer({ consent: 'ask' });
    const byCookie = await assessServer(everythingOf(server, { cookie: await server.signIn() }));
    const { visit } = person(server.issuer);
    const seen = await assessServer(everythingOf(server, { login: 'browser' }), { visit });
    const wanted = seen.steps.filter((step) => step.type === 'authorization_needed');
    const states = wanted.map(({ url }) => new URL(url).searchParams.get('state'));
    expect(wanted.length).toBeGreaterThan(20);
    expect(new Set(states.filter((state) => state !== null)).size).toBeGreaterThan(20);
    expect(wanted[0]?.purpose).toBe(`Sign in, and agree to what ${CLIENTS.main} asks for`);
    expect(wanted.filter(({ purpose }) => purpose.startsWith('Sign in')).length).toBeLessThanOrEqual(3);
    expect(wanted[4]?.purpose).toMatch(/: agree if a page asks again, otherwise there is nothing to do$/);
    expect(idsOf(seen, 'failed')).toEqual(idsOf(byCookie, 'failed'));
    // A posted response, a consent page on which buttons are pressed, and what a signed-in browser is asked, are not
    // seen through a window. Whether a code has expired by the end depends on how long an assessment took.
    const unseen = [
      ...['consent-ticket-once', 'form-post', 'session-cookie', 'user-consent', 'validate-audience', 'code-lifetime'],
      ...['logout-confirmation', 'max-age'],
    ];
    const expected = idsOf(byCookie, 'passed').filter((id) => !unseen.includes(id));
    expect(idsOf(seen, 'passed')).toEqual(expect.arrayContaining(expected));
    const { requests = 0 } = seen.steps.find((step) => step.type === 'started') ?? {};
    expect(Math.abs(requests - byCookie.requests) / byCookie.requests).toBeLessThan(0.25);
  });

  test('or does not, and is asked no more than three times', async () => {
    await using server = await oidcServer({ consent: 'ask' });
    let asked = 0;
    const seen = await assessServer(everythingOf(server, { login: 'browser' }), {
      visit: async () => {
        asked += 1;
        return null;
      },
    });
    expect(asked).toBe(3);
    expect(seen.preflight.find(({ what }) => what === 'session')).toMatchObject({ ok: false });
    expect(idsOf(seen, 'passed')).toContain('strict-redirect-uri');
    expect(idsOf(seen, 'passed', 'failed')).not.toContain('code-single-use');
  });
});

describe('an address that the browser came back to', () => {
  const redirectUri = 'https://app.example.com/callback';
  const wanted = (state: string) => ({
    url: `https://login.example/authorize?state=${state}`,
    purpose: 'A code',
    redirectUri,
  });

  test('is not waited for where the server names a script', async () => {
    const visits = new BrowserVisits();
    for (const url of ['javascript:alert(1)//?state=x', 'data:text/html,x', 'file:///etc/hosts', ' javascript:x'])
      expect(await visits.visit({ ...wanted('x'), url })).toBeNull();
  });

  test('answers the visit that is open, and no other', async () => {
    const visits = new BrowserVisits();
    expect(visits.answer(`${redirectUri}?code=1&state=state-number-1`)).toBe(false);
    const first = visits.visit(wanted('state-number-1'));
    const second = visits.visit(wanted('state-number-2'));
    expect(await visits.waitForVisit()).toMatchObject(wanted('state-number-1'));
    for (const wrong of [
      `${redirectUri}?code=1`,
      `${redirectUri}?code=1&state=state-number-2`,
      `${redirectUri}/more?code=1&state=state-number-1`,
      'https://evil.example/callback?code=1&state=state-number-1',
      'http://app.example.com/callback?code=1&state=state-number-1',
      'no address',
    ]) {
      expect(visits.answer(wrong), wrong).toBe(false);
    }
    const back = `${redirectUri}?code=1&state=state-number-1`;
    expect(visits.answer(back)).toBe(true);
    expect(await first).toBe(back);
    await visits.waitForVisit();
    expect(visits.answer(back)).toBe(false);
    const error = `${redirectUri}?error=access_denied&state=state-number-2`;
    expect(visits.answer(error)).toBe(true);
    expect(await second).toBe(error);
  });

  test('may carry a state that was cut, but not one that was emptied', () => {
    const visits = new BrowserVisits();
    void visits.visit(wanted('state-number-1'));
    return visits.waitForVisit().then(() => {
      expect(visits.answer(`${redirectUri}?code=1&state=state`)).toBe(false);
      expect(visits.answer(`${redirectUri}?code=1&state=state-numb`)).toBe(true);
    });
  });

  test('of a pushed request is told from those of earlier visits', async () => {
    const visits = new BrowserVisits();
    const first = visits.visit(wanted('state-number-1'));
    await visits.waitForVisit();
    visits.answer(null);
    expect(await first).toBeNull();
    void visits.visit({ ...wanted('x'), url: 'https://login.example/authorize?request_uri=urn:1' });
    await visits.waitForVisit();
    expect(visits.answer(`${redirectUri}?code=2&state=state-number-1`)).toBe(false);
    expect(visits.answer(`${redirectUri}?code=2&state=pushed`)).toBe(true);
  });

  test('is not waited for once the assessment has ended', async () => {
    const visits = new BrowserVisits();
    const open = visits.visit(wanted('state-number-1'));
    await visits.waitForVisit();
    visits.close();
    expect(await open).toBeNull();
    expect(await visits.visit(wanted('state-number-2'))).toBeNull();
  });
});
