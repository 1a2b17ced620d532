import { z } from 'zod';
import '@/components/api/call';
import { dropAllDrafts } from '@/components/form/draft/stored-drafts';
import { CODE_MISSING, CODE_WRONG, INVITATION_GONE } from '@/lib/contract/sign-in-refusals';

export type SignInOutcome =
  | { kind: 'in' }
  | { kind: 'wrong' }
  /** The password is correct; a second-factor code is needed. */
  | { kind: 'code'; code: 'missing' | 'wrong' }
  /** The invitation was used or replaced, or has expired. */
  | { kind: 'gone' }
  | { kind: 'locked'; seconds: number | null }
  | { kind: 'forbidden'; reason: string }
  /** The new password is refused. */
  | { kind: 'weak'; reason: string }
  | { kind: 'unreachable' }
  | { kind: 'fault' };

const Csrf = z.object({ csrfToken: z.string() });
const Answer = z.object({ url: z.string() });
const Refusal = z.object({ error_description: z.string() });
const WeakPassword = z.object({ details: z.tuple([z.object({ path: z.literal('password'), message: z.string() })]) });

/** Posts a form to a next-auth endpoint with its CSRF token. Returns null if there is no response. */
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

type Refused = Extract<SignInOutcome, { kind: 'locked' | 'forbidden' | 'weak' | 'unreachable' | 'fault' }>;

/** Returns the refusal that all next-auth endpoints share, else null. */
async function readRefusal(response: Response): Promise<Refused | null> {
  switch (response.status) {
    case 503:
      return { kind: 'fault' };
    case 429: {
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      return { kind: 'locked', seconds: Number.isFinite(seconds) ? seconds : null };
    }
    case 400: {
      const weak = WeakPassword.safeParse(
        await response
          .clone()
          .json()
          .catch(() => undefined),
      );
      return weak.success ? { kind: 'weak', reason: `Password ${weak.data.details[0].message}.` } : null;
    }
    case 403: {
      const refusal = Refusal.safeParse(await response.json().catch(() => undefined));
      return refusal.success ? { kind: 'forbidden', reason: refusal.data.error_description } : { kind: 'fault' };
    }
    default:
      return null;
  }
}

async function readTarget(response: Response): Promise<URL | null> {
  const answer = Answer.safeParse(await response.json().catch(() => undefined));
  return answer.success ? new URL(answer.data.url, window.location.origin) : null;
}

interface Credentials {
  email: string;
  password: string;
  code: string;
}

export function signInWithPassword(credentials: Credentials): Promise<SignInOutcome> {
  return signIn('credentials', { ...credentials });
}

interface NewPassword {
  /** Token of the invitation. */
  token: string;
  password: string;
  code: string;
}

/** Sets the password with an invitation and signs in. */
export function signInWithInvitation(invitation: NewPassword): Promise<SignInOutcome> {
  return signIn('invitation', { ...invitation });
}

/**
 * Signs in. The `error` parameter of next-auth gives the reason for a refusal: `locked:<seconds>` after too many
 * attempts.
 */
async function signIn(way: 'credentials' | 'invitation', fields: Record<string, string>): Promise<SignInOutcome> {
  const response = await post(`/api/auth/callback/${way}`, { ...fields, callbackUrl: '/' });
  if (!response) return { kind: 'unreachable' };
  const refused = await readRefusal(response);
  if (refused) return refused;
  const error = (await readTarget(response))?.searchParams.get('error') ?? null;
  const locked = error?.match(/^locked:(\d+)$/);
  if (locked) return { kind: 'locked', seconds: Number(locked[1]) };
  if (error === CODE_MISSING) return { kind: 'code', code: 'missing' };
  if (error === CODE_WRONG) return { kind: 'code', code: 'wrong' };
  if (error === INVITATION_GONE) return { kind: 'gone' };
  if (response.ok && error === null) return { kind: 'in' };
  return response.status === 401 || error === 'CredentialsSignin' ? { kind: 'wrong' } : { kind: 'fault' };
}

/** Returns the URL for signing in with a provider. */
export async function requestProviderUrl(provider: string, callbackUrl: string): Promise<{ url: string } | Refused> {
  const response = await post(`/api/auth/signin/${encodeURIComponent(provider)}`, { callbackUrl });
  if (!response) return { kind: 'unreachable' };
  const refused = await readRefusal(response);
  if (refused) return refused;
  const url = response.ok ? (await readTarget(response))?.href : undefined;
  return url === undefined ? { kind: 'fault' } : { url };
}

/** Ends the session and deletes the drafts of this tab. Returns false if the server did not confirm it. */
export async function signOut(): Promise<boolean> {
  const response = await post('/api/auth/signout', { callbackUrl: '/sign-in' });
  if (!response?.ok) return false;
  dropAllDrafts();
  return true;
}
