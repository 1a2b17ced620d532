import { describe, expect, it } from 'vitest';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../../fixtures/product';
import { product, productSuite, someone } from '../../fixtures/product-suite';

productSuite({ SLUICE_TRUSTED_PROXIES: '127.0.0.0/8,::1/128' });

const send = (address: string, method: string, path: string, headers: Record<string, string> = {}, body?: BodyInit) =>
  fetch(product.origin + path, {
    method,
    headers: { 'x-forwarded-for': address, ...headers },
    body,
    redirect: 'manual',
  });
const cookiesOf = (answer: Response) => answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');

/** Signs in from an address; answers the cookies of the session. */
async function signIn(address: string): Promise<string> {
  const csrf = await send(address, 'GET', '/api/auth/csrf');
  const { csrfToken } = await csrf.json();
  const fields = { email: OWNER_EMAIL, password: OWNER_PASSWORD, csrfToken, callbackUrl: '/', json: 'true' };
  const cookie = cookiesOf(csrf).join('; ');
  const path = '/api/auth/callback/credentials';
  const answer = await send(address, 'POST', path, { cookie }, new URLSearchParams(fields));
  expect(answer.status).toBe(200);
  return cookiesOf(answer).join('; ');
}

describe("the lab's requests", () => {
  it('of a signed-in member are counted in a class of their own, and leave the sign-in budget alone', async () => {
    const address = someone();
    const cookie = await signIn(address);
    for (let left = 299; left >= 280; left--) {
      const answer = await send(address, 'POST', '/auth/token', { cookie });
      expect(answer.status).toBe(400);
      expect(answer.headers.get('x-ratelimit-limit')).toBe('300');
      expect(answer.headers.get('x-ratelimit-remaining')).toBe(String(left));
    }
    const data = await send(address, 'GET', '/api/data', { cookie });
    expect(data.headers.get('x-ratelimit-remaining')).toBe('279');
    // Of the ten of the class `auth`, the sign-in took one and this takes the second.
    const stranger = await send(address, 'POST', '/auth/token', { cookie: 'next-auth.session-token=invented' });
    expect(stranger.headers.get('x-ratelimit-limit')).toBe('10');
    expect(stranger.headers.get('x-ratelimit-remaining')).toBe('8');
  });

  it('are refused so that a script of another origin can read it, but not at the authorization endpoint', async () => {
    const address = someone();
    for (let n = 0; n < 10; n++) await send(address, 'POST', '/auth/token');
    const refused = await send(address, 'POST', '/auth/token');
    expect(await refused.json()).toEqual({ error: 'rate_limit_exceeded', error_description: expect.any(String) });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After');
    const page = await send(address, 'GET', '/auth/authorize');
    expect(page.status).toBe(429);
    expect(page.headers.get('access-control-allow-origin')).toBeNull();
  });
});
