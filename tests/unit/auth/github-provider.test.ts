import { afterEach, describe, expect, it, vi } from 'vitest';
import { findProviderFault } from '@/lib/auth/next-auth/provider-faults';
import { buildGitHubProvider } from '@/lib/auth/next-auth/providers';

afterEach(() => vi.unstubAllGlobals());

/** What is read of an account when GitHub answers so. */
async function accountWith(answers: Record<string, () => Response | Promise<Response>>): Promise<unknown> {
  vi.stubGlobal(
    'fetch',
    async ({ url }: Request) => answers[new URL(url).pathname]?.() ?? new Response('', { status: 404 }),
  );
  const { userinfo } = buildGitHubProvider('id', 'secret');
  if (typeof userinfo !== 'object' || userinfo.request === undefined) throw new Error('GitHub is asked by a function.');
  const context = { tokens: { access_token: 'token' } } as Parameters<typeof userinfo.request>[0];
  return userinfo.request(context);
}

const user = () => Response.json({ id: 583_231, login: 'octocat', name: null });
const emails = (verified: boolean) => () =>
  Response.json([
    { email: 'other@example.com', primary: false, verified: true },
    { email: 'octocat@example.com', primary: true, verified },
  ]);

describe('an account at GitHub', () => {
  it('is known by https://github.com and its numeric id, and has its primary address', async () => {
    expect(await accountWith({ '/user': user, '/user/emails': emails(true) })).toEqual({
      issuer: 'https://github.com',
      subject: '583231',
      name: 'octocat',
      email: 'octocat@example.com',
      emailVerified: true,
      claimed: null,
    });
  });

  it('has no other address in place of one that is not verified, or is missing', async () => {
    expect(await accountWith({ '/user': user, '/user/emails': emails(false) })).toMatchObject({ emailVerified: false });
    const none = await accountWith({ '/user': user, '/user/emails': () => Response.json([]) });
    expect(none).toMatchObject({ subject: '583231', email: undefined, emailVerified: false });
  });

  it.each([
    ['ProviderDown', () => new Response('', { status: 502 })],
    ['ProviderDown', () => Promise.reject(new TypeError('fetch failed'))],
    ['ProviderMisconfigured', () => new Response('', { status: 401 })],
    ['ProviderMisconfigured', () => Response.json({ message: 'not an account' })],
  ])('that cannot be read is %s', async (refusal, answer) => {
    const fault = await accountWith({ '/user': answer }).catch((error: unknown) => error);
    expect(findProviderFault(fault).refusal).toBe(refusal);
  });
});
