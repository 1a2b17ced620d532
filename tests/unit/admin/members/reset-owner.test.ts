import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { audit } from '@/drizzle/schema';
import { resetOwner } from '@/lib/admin/members/reset-owner';
import { readSession } from '@/lib/auth/session';
import { type AuthServices, authServices } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';

const PASSWORD = 'the password that was lost';

let auth: AuthServices;
beforeEach(async () => {
  auth = await authServices();
  await auth.member('ada@example.com', 'owner', PASSWORD);
});
afterEach(() => auth[Symbol.dispose]());

const reset = (email: string | null = null, secondFactor = false) =>
  resetOwner({ ...auth.services, origin: 'http://sluice.test' }, { email, secondFactor });

describe('the reset of an owner', () => {
  it('gives a link that sets a password, ends all sessions and the password before, and is in the audit log', async () => {
    const jar = new BrowserJar(auth.services);
    await jar.signIn('ada@example.com', PASSWORD);
    const { email, link, needsCode } = await reset();
    expect([email, needsCode]).toEqual(['ada@example.com', false]);
    expect(await readSession(jar.cookieHeader, auth.services)).toBeNull();
    expect((await new BrowserJar(auth.services).signIn('ada@example.com', PASSWORD)).status).toBe(401);

    const form = { token: new URL(link.url).hash.slice(1), password: 'another new password', json: 'true' };
    const csrfToken = await jar.csrf();
    expect((await jar.send('POST', '/api/auth/callback/invitation', { ...form, csrfToken })).status).toBe(200);
    expect(await readSession(jar.cookieHeader, auth.services)).toMatchObject({ role: 'owner' });
    expect((await jar.send('POST', '/api/auth/callback/invitation', { ...form, csrfToken })).status).toBe(404);

    const records = await auth.file.database.drizzle.select().from(audit);
    expect(records.map(({ action }) => action)).toEqual([
      'member.invite',
      'member.reset_owner',
      'member.accept_invitation',
    ]);
    expect(records[1]).toMatchObject({ actor: 'system', after: expect.stringContaining('"has_password":false') });
    expect(JSON.stringify(records)).not.toContain(form.token);
  });

  it('gives a link for an hour', async () => {
    const { link } = await reset();
    expect(Date.parse(link.expires_at) - auth.services.clock()).toBe(3_600_000);
  });

  it('names the owner where there are several', async () => {
    await auth.member('bob@example.com', 'owner');
    await expect(reset()).rejects.toThrow('There are 2 owners; name one of them: ada@example.com, bob@example.com.');
    expect((await reset('BOB@example.com')).email).toBe('bob@example.com');
  });

  it('refuses, and changes nothing, where nobody matches or the member is no owner', async () => {
    await auth.member('eve@example.com', 'viewer');
    const before = await auth.file.database.drizzle.$count(audit);
    await expect(reset('nobody@example.com')).rejects.toThrow(
      'No member has this e-mail address. Owners: ada@example.com.',
    );
    await expect(reset('eve@example.com')).rejects.toThrow('eve@example.com is viewer, not owner.');
    await expect(reset('not an address')).rejects.toThrow('No member has this e-mail address.');
    expect(await auth.file.database.drizzle.$count(audit)).toBe(before);
  });
});
