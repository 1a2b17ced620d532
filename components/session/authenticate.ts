import { z } from 'zod';
import '@/components/call';
import { dropAllDrafts } from '@/components/form/stored-drafts';

export type SignInOutcome =
  | { kind: 'in' }
  | { kind: 'wrong' }
  | { kind: 'locked'; seconds: number | null }
  | { kind: 'forbidden'; reason: string }
  | { kind: 'unreachable' }
  | { kind: 'fault' };

const Csrf = z.object({ csrfToken: z.string() });
const Answer = z.object({ url: z.string() });
const Refusal = z.object({ error_description: z.string() });

/** Posts a form to one of next-auth's endpoints, with its CSRF token. Null without a response. */
async function post(path: string, fields: Record<string, string>): Promise<Response | null> {
  try {
    const csrf = await fetch('/api/auth/csrf', { cache: 'no-store' });
    if (!csrf.ok) return csrf;
    const { csrfToken } = Csrf.parse(await csrf.json());
    return await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...fields, csrfToken, json: 'true' }),
    });
  } catch {
    return null;
  }
}

type Refused = Extract<SignInOutcome, { kind: 'locked' | 'forbidden' | 'unreachable' | 'fault' }>;

/** The refusals that all of next-auth's endpoints share, else null. */
async function refusalOf(response: Response): Promise<Refused | null> {
  switch (response.status) {
    case 503:
      return { kind: 'fault' };
    case 429: {
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      return { kind: 'locked', seconds: Number.isFinite(seconds) ? seconds : null };
    }
    case 403: {
      const refusal = Refusal.safeParse(await response.json().catch(() => undefined));
      return refusal.success ? { kind: 'forbidden', reason: refusal.data.error_description } : { kind: 'fault' };
    }
    default:
      return null;
  }
}

async function targetOf(response: Response): Promise<URL | null> {
  const answer = Answer.safeParse(await response.json().catch(() => undefined));
  return answer.success ? new URL(answer.data.url, window.location.origin) : null;
}

/** next-auth's `error` parameter says why not: `CredentialsSignin`, or `locked:<seconds>` after too many attempts. */
export async function signInWithPassword(credentials: { email: string; password: string }): Promise<SignInOutcome> {
  const response = await post('/api/auth/callback/credentials', { ...credentials, callbackUrl: '/' });
  if (!response) return { kind: 'unreachable' };
  const refused = await refusalOf(response);
  if (refused) return refused;
  const error = (await targetOf(response))?.searchParams.get('error') ?? null;
  const locked = error?.match(/^locked:(\d+)$/);
  if (locked) return { kind: 'locked', seconds: Number(locked[1]) };
  if (response.ok && error === null) return { kind: 'in' };
  return response.status === 401 || error === 'CredentialsSignin' ? { kind: 'wrong' } : { kind: 'fault' };
}

/** The URL to sign in at with a provider. */
export async function providerAddress(provider: string, callbackUrl: string): Promise<{ url: string } | Refused> {
  const response = await post(`/api/auth/signin/${encodeURIComponent(provider)}`, { callbackUrl });
  if (!response) return { kind: 'unreachable' };
  const refused = await refusalOf(response);
  if (refused) return refused;
  const url = response.ok ? (await targetOf(response))?.href : undefined;
  return url === undefined ? { kind: 'fault' } : { url };
}

/** Ends the session and drops the drafts of this tab; false when the server did not confirm it. */
export async function signOut(): Promise<boolean> {
  const response = await post('/api/auth/signout', { callbackUrl: '/sign-in' });
  if (!response?.ok) return false;
  dropAllDrafts();
  return true;
}
