import type { Config } from '@/lib/config';
import type { SignInRefusal } from '@/lib/contract/session';
import { requestOrigin } from '@/lib/http/request-origin';

const CALLBACK = /^\/api\/auth\/callback\/[^/]+$/;

/** The address of the sign-in page that says why a sign-in was refused. @param wait from `Retry-After` */
export function refusedSignInUrl(origin: string, refusal: SignInRefusal, wait?: string): string {
  const query = new URLSearchParams({ error: refusal, ...(wait === undefined ? {} : { wait }) });
  return `${origin}/sign-in?${query}`;
}

/**
 * What a browser gets that comes back from a provider and cannot be served now: the sign-in page with a sentence, in
 * place of the JSON that programs get. Null for every other request.
 *
 * @param status of the error: 429, or one after which trying again helps
 * @param headers of the error
 */
export function refusedNavigation(
  request: Request,
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  config: Config,
): Response | null {
  const isNavigation = request.method === 'GET' && /\btext\/html\b/i.test(request.headers.get('accept') ?? '');
  if (!isNavigation || !CALLBACK.test(new URL(request.url).pathname)) return null;
  if (status !== 409 && status !== 429 && status < 500) return null;
  const refusal = status === 429 ? 'TooManyRequests' : 'Unavailable';
  const location = refusedSignInUrl(requestOrigin(request, config), refusal, headers['Retry-After']);
  return new Response(null, { status: 303, headers: { ...headers, Location: location, 'Cache-Control': 'no-store' } });
}
