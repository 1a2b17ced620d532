import { expect } from 'vitest';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../../fixtures/product';
import { type Answer, call } from './clients';

const FORM = 'application/x-www-form-urlencoded';
const ALLOWLIST = '/v1/admin/rate-limit/allowlist';

/** The console at an https origin, as a browser without scripts uses it. */
class Browser {
  readonly cookies = new Map<string, string>();

  constructor(
    readonly origin: string,
    private readonly address: string,
  ) {}

  /** Each cookie must be one that a page over http could not have set. */
  async send(method: string, path: string, type?: string, body?: string, origin = this.origin): Promise<Answer> {
    const cookie = [...this.cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { cookie, origin, accept: 'text/html', ...(type ? { 'content-type': type } : {}) };
    const answer = await call(`${this.origin}${path}`, this.address, { method, headers, body });
    for (const line of answer.headers.getSetCookie()) {
      expect(line).toMatch(/^__(Host|Secure)-(next-auth|sluice)\.[\w.-]+=[^;]*;(.*;)? ?Secure(;|$)/);
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }

  async csrfToken(): Promise<string> {
    return (JSON.parse((await this.send('GET', '/api/auth/csrf')).body) as { csrfToken: string }).csrfToken;
  }
}

/** Signs in, changes something, is refused what another site wants, and signs out. */
export async function useConsole(origin: string, address: string): Promise<void> {
  const browser = new Browser(origin, address);
  const allow = JSON.stringify({ type: 'ip', identifier: address, reason: 'test' });

  const stranger = await browser.send('GET', '/keys');
  expect(stranger.status).toBe(307);
  expect(new URL(stranger.headers.get('location') ?? '', origin).href).toBe(`${origin}/sign-in?callbackUrl=%2Fkeys`);
  expect((await browser.send('POST', ALLOWLIST, 'application/json', allow)).status).toBe(401);

  const callbackUrl = `${origin}/keys`;
  const credentials = { email: OWNER_EMAIL, password: OWNER_PASSWORD, callbackUrl };
  const form = new URLSearchParams({ ...credentials, csrfToken: await browser.csrfToken() });
  const signedIn = await browser.send('POST', '/api/auth/callback/credentials', FORM, String(form));
  expect(signedIn.status, signedIn.body).toBe(302);
  expect(signedIn.headers.get('location')).toBe(callbackUrl);
  expect([...browser.cookies.keys()]).toContain('__Secure-next-auth.session-token');
  const page = await browser.send('GET', '/keys');
  expect(page.status).toBe(200);
  expect(page.headers.get('strict-transport-security')).toMatch(/max-age=\d+/);

  const changed = await browser.send('POST', ALLOWLIST, 'application/json', allow);
  expect(changed.status, changed.body).toBe(200);
  for (const elsewhere of ['https://evil.example', origin.replace('https:', 'http:')]) {
    const refused = await browser.send('POST', ALLOWLIST, 'application/json', allow, elsewhere);
    expect(refused.status, elsewhere).toBe(403);
  }
  const forged = new URLSearchParams({ csrfToken: 'forged', callbackUrl });
  expect((await browser.send('POST', '/api/auth/signout', FORM, String(forged))).status).toBe(403);

  const leave = new URLSearchParams({ csrfToken: await browser.csrfToken(), callbackUrl: `${origin}/sign-in` });
  expect((await browser.send('POST', '/api/auth/signout', FORM, String(leave))).status).toBe(302);
  expect([...browser.cookies.keys()]).not.toContain('__Secure-next-auth.session-token');
  expect((await browser.send('GET', '/keys')).status).toBe(307);
}
