import { CallError, call } from '@/components/api/call';
import { explainError } from '@/components/api/explain-error';
import { LAB_PATHS } from '@/lib/contract/lab-paths';
import type { TimedAnswer } from '@/lib/oauth/client/send-step';
import type { WireRequest } from '@/lib/oauth/client/wire-request';

const LAB_ADDRESSES: ReadonlySet<string> = new Set(Object.values(LAB_PATHS));
const TIMEOUT_MS = 20_000;

/**
 * Sends a request of the client. Requests to this page's own origin go directly from the browser, all others through
 * Sluice's API. Only the lab receives cookies, which it ignores. Redirects are not followed.
 * @throws CallError on failure; TypeError if there was no answer
 */
export async function sendWireRequest(request: WireRequest): Promise<TimedAnswer> {
  if (new URL(request.url).origin === window.location.origin) return sendFromHere(request);
  const { sendOAuthRequest } = await import('@/lib/contract/oauth-requests');
  const { value } = await call(sendOAuthRequest, { body: request });
  return { status: value.status, headers: value.headers, body: value.body, durationMs: value.duration_ms };
}

async function sendFromHere({ method, url, headers, body }: WireRequest): Promise<TimedAnswer> {
  const startedAt = performance.now();
  const response = await fetch(url, {
    method,
    headers: Object.fromEntries(headers),
    ...(method === 'POST' ? { body } : {}),
    // The lab counts requests of signed-in members separately. No other address receives the session.
    credentials: LAB_ADDRESSES.has(new URL(url).pathname) ? 'same-origin' : 'omit',
    cache: 'no-store',
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  // Browsers hide redirects from scripts.
  if (response.type === 'opaqueredirect') throw new RedirectHidden();
  const text = await response.text();
  return {
    status: response.status,
    headers: [...response.headers],
    body: text,
    durationMs: performance.now() - startedAt,
  };
}

class RedirectHidden extends Error {}

/** Explains why no answer came. */
export function explainFault(error: unknown): string {
  if (error instanceof RedirectHidden) return 'The server answered with a redirect, which the browser does not show.';
  if (!(error instanceof CallError)) {
    const late = error instanceof DOMException && error.name === 'TimeoutError';
    return late ? `No response within ${TIMEOUT_MS / 1000} s.` : 'The request could not be signed or sent.';
  }
  const reason = error.details.find(({ path }) => path === 'url')?.message;
  if (reason !== undefined) return `The server ${reason}.`;
  const { title, text } = explainError(error);
  return `${title}. ${text}`;
}
