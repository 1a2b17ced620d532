import type { SignInRefusal } from '@/lib/contract/sign-in-refusals';
import { type OriginSettings, requestOrigin } from '@/lib/http/request-origin';

const CALLBACK = /^\/api\/auth\/callback\/[^/]+$/;

/** The URL of the sign-in page with the reason of a refusal. @param wait from `Retry-After` */
export function refusedSignInUrl(origin: string, refusal: SignInRefusal, wait?: string): string {
  const query = new URLSearchParams({ error: refusal, ...(wait === undefined ? {} : { wait }) });
  return `${origin}/sign-in?${query}`;
}

/**
 * For a browser that returns from a provider into an error: a redirect to the sign-in page with the reason, in place of
 * the JSON that programs get. Null for every other request, and for errors that trying again does not help against.
 */
export function refusedNavigation(
  request: Request,
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  config: OriginSettings,
): Response | null {
  const isNavigation = request.method === 'GET' && /\btext\/html\b/i.test(request.headers.get('accept') ?? '');
  if (!isNavigation || !CALLBACK.test(new URL(request.url).pathname)) return null;
  if (status !== 409 && status !== 429 && status < 500) return null;
  const refusal = status === 429 ? 'TooManyRequests' : 'Unavailable';
  const location = refusedSignInUrl(requestOrigin(request, config), refusal, headers['Retry-After']);
  return new Response(null, { status: 303, headers: { ...headers, Location: location, 'Cache-Control': 'no-store' } });
}
