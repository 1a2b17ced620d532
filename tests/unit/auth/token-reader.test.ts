import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import { hashSecret } from '@/lib/auth/secret-hash';
import { TokenReader } from '@/lib/auth/token-reader';
import { DatabaseUnavailable } from '@/lib/db/errors';
import { type AuthServices, authServices } from '@/tests/fixtures/auth-services';

let auth: AuthServices;
let made: { id: string; token: string }[];

beforeAll(async () => {
  auth = await authServices();
  made = await Promise.all(Array.from({ length: 20 }, () => auth.token('gateway')));
});
afterAll(() => auth[Symbol.dispose]());

/** The same rows, asked for as those of a database elsewhere. */
const remote = () => new TokenReader({ ...auth.services.database, handle: null });

describe('looking up tokens in a remote database', () => {
  it('shares a query among all that wait, and gives each its own', async () => {
    const reader = remote();
    const execute = vi.spyOn(auth.services.database.client, 'execute');
    const asked = Array.from({ length: 400 }, (_, i) => made[i % 25]?.token ?? `unknown ${i}`);
    const found = await Promise.all(asked.map((token) => reader.find(hashSecret(token))));
    expect(found.map((token) => token?.actor.id)).toEqual(
      asked.map((_, i) => made[i % 25] && `token:${made[i % 25]?.id}`),
    );
    expect(execute.mock.calls.length).toBeLessThanOrEqual(4);
    execute.mockRestore();
  });

  it('knows of a revocation in the next question', async () => {
    const reader = remote();
    const [first] = made;
    if (first === undefined) throw new Error('There is no token.');
    expect(await reader.find(hashSecret(first.token))).toMatchObject({ actor: { id: `token:${first.id}` } });
    await revokeToken.run(auth.context(), { params: { id: first.id }, query: {}, body: undefined });
    expect(await reader.find(hashSecret(first.token))).toBeNull();
    expect(await new TokenReader(auth.services.database).find(hashSecret(first.token))).toBeNull();
  });

  it('tells all that wait when the database is down, and works again afterwards', async () => {
    const reader = remote();
    const execute = vi
      .spyOn(auth.services.database.client, 'execute')
      .mockRejectedValueOnce(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }));
    await expect(reader.find('x')).rejects.toBeInstanceOf(DatabaseUnavailable);
    execute.mockRestore();
    expect(await reader.find(hashSecret(made[1]?.token ?? ''))).toMatchObject({
      actor: { id: `token:${made[1]?.id}` },
    });
  });
});

describe('looking up tokens in the embedded database', () => {
  it('shares a statement among all that ask in one turn, and makes it after the last of them', async () => {
    const { handle } = auth.services.database;
    if (handle === null) throw new Error('The database is not embedded.');
    const prepare = vi.spyOn(handle, 'prepare');
    const reader = new TokenReader(auth.services.database);
    const token = await auth.token('gateway');
    const before = reader.find(hashSecret(token.token));
    handle.prepare('update admin_tokens set revoked_at = 1 where id = ?').run(token.id);
    const after = reader.find(hashSecret(token.token));
    expect(await Promise.all([before, after])).toEqual([null, null]);
    expect(await reader.find(hashSecret(made[2]?.token ?? ''))).toMatchObject({
      actor: { id: `token:${made[2]?.id}` },
    });
    expect(prepare.mock.calls.filter(([text]) => String(text).startsWith('select'))).toHaveLength(1);
    prepare.mockRestore();
  });
});

describe('what is remembered of a token', () => {
  it('is true only while the database is down', async () => {
    const reader = remote();
    const token = await auth.token('gateway');
    const hash = hashSecret(token.token);
    const down = Object.assign(new Error('gone'), { code: 'ECONNREFUSED' });
    const execute = vi.spyOn(auth.services.database.client, 'execute').mockRejectedValue(down);
    await expect(reader.findOrRemember(hash)).rejects.toBeInstanceOf(DatabaseUnavailable);
    execute.mockRestore();
    expect(await reader.findOrRemember(hash)).toMatchObject({ actor: { id: `token:${token.id}` } });
    const again = vi.spyOn(auth.services.database.client, 'execute').mockRejectedValue(down);
    expect(await reader.findOrRemember(hash)).toMatchObject({ actor: { id: `token:${token.id}` } });
    await expect(reader.find(hash)).rejects.toBeInstanceOf(DatabaseUnavailable);
    again.mockImplementation(() => new Promise(() => undefined));
    expect(await reader.findOrRemember(hash, 10)).toMatchObject({ actor: { id: `token:${token.id}` } });
    again.mockRestore();
  });

  it('is forgotten when it was revoked', async () => {
    const reader = new TokenReader(auth.services.database);
    const token = await auth.token('gateway');
    const hash = hashSecret(token.token);
    expect(await reader.findOrRemember(hash)).toMatchObject({ actor: { id: `token:${token.id}` } });
    await revokeToken.run(auth.context(), { params: { id: token.id }, query: {}, body: undefined });
    expect(await reader.findOrRemember(hash)).toBeNull();
  });
});
