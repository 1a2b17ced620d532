import { describe, expect, it, vi } from 'vitest';
import { audit, members } from '@/drizzle/schema';
import { bootstrap } from '@/lib/admin/members/bootstrap';
import { authenticateMember } from '@/lib/auth/authenticate-member';
import { servicesOn } from '@/tests/fixtures/auth-services';
import { migratedDatabase } from '@/tests/fixtures/migrated-database';

const now = () => 1_800_000_000_000;

describe('the first owner', () => {
  it('is made once by four that start together, with credentials that work and are in the audit log without a secret', async () => {
    using file = await migratedDatabase();
    const starters = await Promise.all(
      [file.database, file.reopen(), file.reopen(), file.reopen()].map((database) => servicesOn(database, {}, now)),
    );
    const made = (await Promise.all(starters.map(bootstrap))).filter((owner) => owner !== null);
    expect(made).toHaveLength(1);
    const [owner] = made;
    expect(owner?.email).toBe('admin@localhost');
    expect(owner?.password?.length).toBeGreaterThanOrEqual(20);
    const rows = await file.database.drizzle.select().from(members);
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ email: 'admin@localhost', role: 'owner' });
    expect(rows[0]?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const log = await file.database.drizzle.select().from(audit);
    expect(log).toHaveLength(1);
    expect(log[0]).toMatchObject({ actor: 'system', action: 'member.bootstrap' });
    expect(JSON.stringify(log)).not.toContain('argon2');
    for (const services of starters) {
      const outcome = await authenticateMember(
        services,
        { email: 'admin@localhost', password: owner?.password ?? '' },
        { address: null },
      );
      expect(outcome.kind).toBe('member');
    }
  });

  it('comes from the environment, whose password is not shown, and which never overwrites an account', async () => {
    using file = await migratedDatabase();
    const env = (password: string) => ({ SLUICE_ADMIN_EMAIL: 'Root@Example.com', SLUICE_ADMIN_PASSWORD: password });
    const first = await servicesOn(file.database, env('the first password'), now);
    expect(await bootstrap(first)).toEqual({ email: 'root@example.com', password: null });
    const second = await servicesOn(file.database, env('the second password'), now);
    expect(await bootstrap(second)).toBeNull();
    const kind = async (password: string) =>
      (await authenticateMember(second, { email: 'root@example.com', password }, { address: null })).kind;
    expect(await kind('the second password')).toBe('wrong');
    expect(await kind('the first password')).toBe('member');
  });

  it('may have a weak password from the environment, which is warned of', async () => {
    using file = await migratedDatabase();
    const services = await servicesOn(file.database, { SLUICE_ADMIN_PASSWORD: 'password' }, now);
    const warn = vi.spyOn(services.logger, 'warn');
    expect(await bootstrap(services)).toEqual({ email: 'admin@localhost', password: null });
    expect(warn).toHaveBeenCalledWith(
      expect.stringMatching(/^SLUICE_ADMIN_PASSWORD is weak: it must have at least 12/),
    );
    const owner = { email: 'admin@localhost', password: 'password' };
    expect((await authenticateMember(services, owner, { address: null })).kind).toBe('member');
  });

  it('needs an address that can be signed in with', async () => {
    using file = await migratedDatabase();
    const services = await servicesOn(file.database, { SLUICE_ADMIN_EMAIL: 'root@exämple.com' }, now);
    await expect(bootstrap(services)).rejects.toThrow(/^SLUICE_ADMIN_EMAIL /);
  });
});
