import type { SignInRefusal } from '@/lib/contract/sign-in-refusals';
import { isNavigation } from '@/lib/http/failed-page';
import { type OriginSettings, requestOrigin } from '@/lib/http/request-origin';

const CALLBACK = /^\/api\/auth\/callback\/[^/]+$/;

/** Builds the URL of the sign-in page with the reason of a refusal. @param wait value of `Retry-After` */
export function buildRefusedSignInUrl(origin: string, refusal: SignInRefusal, wait?: string): string {
  const query = new URLSearchParams({ error: refusal, ...(wait === undefined ? {} : { wait }) });
  return `${origin}/sign-in?${query}`;
}

/**
 * Redirects a browser that returns from a provider with an error to the sign-in page, with the reason. Programs get
 * JSON instead. Returns null for every other request, and for errors that another try cannot fix.
 */
export function redirectRefusedNavigation(
  request: Request,
  { status, headers }: { status: number; headers: Readonly<Record<string, string>> },
  config: OriginSettings,
): Response | null {
  if (!isNavigation(request) || !CALLBACK.test(new URL(request.url).pathname)) return null;
  if (status !== 409 && status !== 429 && status < 500) return null;
  const refusal = status === 429 ? 'TooManyRequests' : 'Unavailable';
  const location = buildRefusedSignInUrl(requestOrigin(request, config), refusal, headers['Retry-After']);
  return new Response(null, { status: 303, headers: { ...headers, Location: location, 'Cache-Control': 'no-store' } });
}
