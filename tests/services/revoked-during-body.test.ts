import { eq } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { adminTokens, sessions } from '@/drizzle/schema';
import { addEffects } from '@/lib/admin/add-effects';
import { removeMember } from '@/lib/admin/members/remove';
import { changeMember } from '@/lib/admin/members/update';
import { createToken } from '@/lib/admin/tokens/create';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { createEndpoint } from '@/lib/operation/endpoint';
import { type AuthServices, authServices } from '@/tests/fixtures/auth-services';
import { BrowserJar } from '@/tests/fixtures/browser-jar';

const PASSWORD = 'correct horse battery staple';

/** A body that arrives after a change. */
function bodyAfter(change: () => Promise<unknown>, body: unknown): RequestInit {
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        await change();
        controller.enqueue(Buffer.from(JSON.stringify(body)));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { method: 'POST', body: stream, duplex: 'half' } as RequestInit;
}

/** Creates an owner's token, and makes a change after the head of the request, before its body arrives. */
async function createTokenDuring(auth: AuthServices, headers: Record<string, string>, change: () => Promise<unknown>) {
  const { POST } = createEndpoint(() => Promise.resolve(auth.services), [createToken], addEffects);
  const sent = { host: 'sluice.test', 'content-type': 'application/json', ...headers };
  const init = { ...bodyAfter(change, { name: 'kept', role: 'owner' }), headers: sent };
  const { status } = await POST(new Request('http://sluice.test/v1/admin/tokens', init), {
    params: Promise.resolve({}),
  });
  return { status, kept: await auth.file.database.drizzle.$count(adminTokens, eq(adminTokens.name, 'kept')) };
}

it.each<[string, (auth: AuthServices, id: string) => Promise<unknown>, number]>([
  [
    'is removed',
    async (auth, id) => removeMember.run(auth.context(), { params: { id }, query: {}, body: undefined }),
    401,
  ],
  ['gets another role', (auth, id) => changeMember(auth.context(), { id }, { role: 'viewer' }), 403],
  ['is signed out', (auth) => auth.file.database.drizzle.delete(sessions), 401],
])('a member who %s while a body arrives changes nothing with it', async (_, change, refused) => {
  using auth = await authServices();
  const { id } = await auth.member('ada@example.com', 'owner', PASSWORD);
  await auth.member('bob@example.com', 'owner', 'the password of another one');
  const jar = new BrowserJar(auth.services);
  await jar.signIn('ada@example.com', PASSWORD);
  const headers = { cookie: jar.cookieHeader, origin: 'http://sluice.test' };
  expect(await createTokenDuring(auth, headers, () => change(auth, id))).toEqual({ status: refused, kept: 0 });
});

it('a token that is revoked while a body arrives changes nothing with it', async () => {
  using auth = await authServices();
  const { id, token } = await auth.token('owner');
  const revoke = async () => revokeToken.run(auth.context(), { params: { id }, query: {}, body: undefined });
  const headers = { authorization: `Bearer ${token}` };
  expect(await createTokenDuring(auth, headers, revoke)).toEqual({ status: 401, kept: 0 });
});

it.each([
  ['/v1/check', { class: 'read', ip: '203.0.113.7' }],
  ['/v1/check/batch', [{ class: 'read', ip: '203.0.113.7' }]],
  ['/v1/refund', { id: 'x' }],
  ['/v1/settle', { id: 'x', costs: {} }],
])('a token that is revoked while a body of %s arrives decides nothing with it', async (path, body) => {
  using auth = await authServices();
  const { id, token } = await auth.token('gateway');
  const revoke = async () => {
    await revokeToken.run(auth.context(), { params: { id }, query: {}, body: undefined });
    auth.pass(1_000);
  };
  const headers = { host: 'sluice.test', 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const request = new Request(`http://sluice.test${path}`, { ...bodyAfter(revoke, body), headers });
  expect((await answerDecisionCall(auth.services, buildDecisionCall(request))).status).toBe(401);
});
