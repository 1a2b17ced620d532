import { CallError, call } from '@/components/api/call';
import { explainError } from '@/components/api/explain-error';
import { COMPARISON_PATH, LAB_PATHS } from '@/lib/contract/lab-paths';
import type { TimedAnswer } from '@/lib/oauth/client/send-step';
import type { WireRequest } from '@/lib/oauth/client/wire-request';

const LAB_ADDRESSES: ReadonlySet<string> = new Set([...Object.values(LAB_PATHS), COMPARISON_PATH]);
const TIMEOUT_SECONDS = 20;

/**
 * Sends a request of the builder, the client or the workbench. Requests to this page's own origin go directly from the
 * browser, all others through Sluice's API. Only the lab receives cookies, which it ignores. Redirects are not followed.
 * @throws an error that `explainFault` explains, if there was no answer
 */
export async function sendWireRequest(request: WireRequest): Promise<TimedAnswer> {
  if (new URL(request.url).origin === window.location.origin) return sendFromPage(request);
  const { sendOAuthRequest } = await import('@/lib/contract/oauth-requests');
  const { value } = await call(sendOAuthRequest, { body: request });
  return { status: value.status, headers: value.headers, body: value.body, durationMs: value.duration_ms };
}

async function sendFromPage({ method, url, headers, body }: WireRequest): Promise<TimedAnswer> {
  const startedAt = performance.now();
  try {
    const response = await fetch(url, {
      method,
      headers: Object.fromEntries(headers),
      ...(method === 'POST' ? { body } : {}),
      // The lab counts requests of signed-in members separately. No other address receives the session.
      credentials: LAB_ADDRESSES.has(new URL(url).pathname) ? 'same-origin' : 'omit',
      cache: 'no-store',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
    });
    // Browsers hide redirects from scripts.
    if (response.type === 'opaqueredirect')
      throw new SendFault('The server answered with a redirect, which the browser does not show.');
    const text = await response.text();
    const durationMs = performance.now() - startedAt;
    return { status: response.status, headers: [...response.headers], body: text, durationMs };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new SendFault(
      /header|ByteString|ISO-8859/i.test(error.message)
        ? 'The browser did not send this: a header contains characters not allowed in headers.'
        : 'The request could not be sent, or no response came. Is the server reachable?',
    );
  }
}

/** A failure whose message is for people. */
class SendFault extends Error {}

/** Explains why no answer came. */
export function explainFault(error: unknown): string {
  if (error instanceof SendFault) return error.message;
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return `No response within ${TIMEOUT_SECONDS} seconds.`;
  if (!(error instanceof CallError)) return 'The request could not be signed or sent.';
  const reason = error.details.find(({ path }) => path === 'url')?.message;
  if (reason !== undefined) return `The server ${reason}.`;
  const { title, text } = explainError(error);
  return `${title}. ${text}`;
}
