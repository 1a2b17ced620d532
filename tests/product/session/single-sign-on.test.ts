import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../fixtures/free-port';
import { type Product, startProduct } from '../../fixtures/product';
import { STAFF_CLIENT, type Staff, type StaffProvider, staffProvider } from '../../fixtures/staff-provider';

const verified = (name: string, groups: string[]) => ({
  name,
  email: `${name.toLowerCase()}@example.com`,
  email_verified: true,
  groups,
});

const staff: Staff = {};
let provider: StaffProvider;
let product: Product;

/** With the default limits, so that an office behind one address meets them. */
beforeAll(async () => {
  const port = await freePort();
  provider = await staffProvider(staff, [`http://127.0.0.1:${port}/api/auth/callback/oidc`]);
  product = await startProduct({
    env: {
      PORT: String(port),
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: STAFF_CLIENT.id,
      OIDC_CLIENT_SECRET: STAFF_CLIENT.secret,
      OIDC_SCOPE: 'openid email profile groups',
      OIDC_ROLE_CLAIM: 'groups',
      OIDC_ROLE_MAP: JSON.stringify({ all: 'viewer', sre: 'operator', leads: 'owner' }),
    },
  });
});
afterAll(async () => {
  await product?.stop();
  await provider?.[Symbol.asyncDispose]();
});

/** A browser at the product: keeps its cookies. */
class Browser {
  readonly #cookies = new Map<string, string>();

  async open(url: string, form?: Record<string, string>): Promise<Response> {
    const response = await fetch(new URL(url, product.origin), {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; '), accept: 'text/html' },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    return response;
  }

  /** Signs in with the provider; answers where the browser is led in the end. */
  async signIn(login: string): Promise<string> {
    const { csrfToken } = (await (await this.open('/api/auth/csrf')).json()) as { csrfToken: string };
    const left = await this.open('/api/auth/signin/oidc', { csrfToken, callbackUrl: '/' });
    const back = await provider.signIn(login, left.headers.get('location') ?? '');
    const answer = await this.open(back);
    return (answer.headers.get('location') ?? `${answer.status}`).replace(product.origin, '');
  }

  async member(): Promise<{ role: string; email: string; id: string } | null> {
    const { user } = (await (await this.open('/api/auth/session')).json()) as { user?: never };
    return user ?? null;
  }
}

const audit = async (query: string) =>
  (await (await product.admin('GET', `/v1/admin/audit?${query}`)).json()) as Record<string, unknown>[];

describe('an organisation whose groups give roles', () => {
  it('signs in a dozen people behind one address within a minute, without an invitation', async () => {
    for (let person = 0; person < 12; person += 1) {
      staff[`p${person}`] = verified(`Person${person}`, ['all', ...(person % 2 ? ['sre'] : [])]);
      const browser = new Browser();
      expect(await browser.signIn(`p${person}`)).toBe('/');
      expect(await browser.member()).toMatchObject({
        email: `person${person}@example.com`,
        role: person % 2 ? 'operator' : 'viewer',
      });
    }
    const [join] = await audit('action=member.join&limit=1');
    expect(join).toMatchObject({
      actor: 'system',
      after: { email: 'person11@example.com', role: 'operator', claim: 'groups', values: ['all', 'sre'] },
    });
  });

  it('changes a role at the next sign-in, also in sessions that are open', async () => {
    staff.ada = verified('Ada', ['sre']);
    const [first, second] = [new Browser(), new Browser()];
    await first.signIn('ada');
    const id = (await first.member())?.id;
    staff.ada.groups = ['all', 'leads'];
    expect(await second.signIn('ada')).toBe('/');
    expect(await first.member()).toMatchObject({ id, role: 'owner' });
    expect(await audit(`target=${id}`)).toMatchObject([
      { action: 'member.follow_claim', before: { role: 'operator' }, after: { role: 'owner' } },
      { action: 'member.bind' },
      { action: 'member.join' },
    ]);
  });

  it('refuses people without a group that has a role, and ends the sessions of those who had one', async () => {
    staff.bob = verified('Bob', ['sre']);
    const before = new Browser();
    await before.signIn('bob');
    staff.bob.groups = ['guests'];
    expect(await new Browser().signIn('bob')).toBe('/sign-in?error=NoRole');
    expect(await before.member()).toBeNull();
    staff.eve = verified('Eve', []);
    expect(await new Browser().signIn('eve')).toBe('/sign-in?error=NoRole');
    const [refusal] = await audit('action=member.refuse_sign_in&limit=1');
    expect(refusal).toMatchObject({ after: { refusal: 'NoRole', claim: 'groups', values: ['guests'] } });
    const page = await (await new Browser().open('/sign-in?error=NoRole')).text();
    expect(page).toContain('Your account has no role here');
  });

  it('refuses an address that the provider has not verified, with a sentence', async () => {
    staff.mallory = { ...verified('Mallory', ['leads']), email_verified: false };
    expect(await new Browser().signIn('mallory')).toBe('/sign-in?error=EmailNotVerified');
    const page = await (await new Browser().open('/sign-in?error=EmailNotVerified')).text();
    expect(page).toContain('The provider has not verified your e-mail address.');
  });
});
