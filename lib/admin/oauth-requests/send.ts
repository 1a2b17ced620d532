import { change } from '@/lib/admin/change';
import { sendOAuthRequest as contract } from '@/lib/contract/oauth-requests';
import { createInvalidField } from '@/lib/http/input';
import { createGuardedFetch, ForbiddenAddress } from '@/lib/oauth/assessment/guarded-fetch';
import { implement } from '@/lib/operation/operation';

const TIMEOUT_MS = 10_000;
/** Largest part of an answer that is read, in bytes. */
const BODY_LIMIT = 262_144;

/**
 * Sends one request for the OAuth client of the console.
 * First writes an audit record that names host and method. No address, header or body is stored or logged.
 * @throws ApiError invalid_request if the address is forbidden or cannot be reached
 */
export const sendOAuthRequest = implement(contract, async (context, { body: { method, url, headers, body } }) => {
  const allowed = context.services.config.SLUICE_ASSESS_ALLOW;
  const transport = createGuardedFetch({ allowed, timeoutMs: TIMEOUT_MS, bodyLimit: BODY_LIMIT });
  const target = new URL(url).host;
  await change(context, async () => ({
    audit: { action: 'oauth_request.send', target, after: { method } },
  }));
  const { signal } = context.facts;
  const request = new Request(url, { method, headers, signal, ...(method === 'POST' ? { body } : {}) });
  // A text body sets a content type that the caller did not request.
  if (!headers.some(([name]) => name.toLowerCase() === 'content-type')) request.headers.delete('content-type');
  const startedAt = performance.now();
  const response = await transport(request).catch((error: unknown) => {
    throw createInvalidField('url', explainFailure(error));
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: [...response.headers].filter(([name]) => name !== 'set-cookie'),
    body: text,
    duration_ms: Math.round(performance.now() - startedAt),
  };
});

const NETWORK_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections',
  ECONNRESET: 'closed the connection without an answer',
  ENOTFOUND: 'has a host name that does not exist',
  EAI_AGAIN: 'has a host name that could not be looked up',
  EHOSTUNREACH: 'cannot be reached from here',
  ENETUNREACH: 'cannot be reached from here',
};

/**
 * Explains why a request failed, as a continuation of "url ...". Repeats nothing that the server or the caller sent.
 */
function explainFailure(error: unknown): string {
  if (error instanceof ForbiddenAddress)
    return 'leads to an address that is not public; SLUICE_ASSESS_ALLOW opens private ones';
  if (!(error instanceof Error)) return 'did not answer';
  if (error.name === 'AbortError' || /no whole answer/.test(error.message))
    return `did not answer within ${TIMEOUT_MS / 1000} s`;
  if (/larger than/.test(error.message)) return `answered with more than ${BODY_LIMIT / 1024} KiB`;
  const code = 'code' in error ? String(error.code) : '';
  if (/^(?:CERT_|ERR_TLS|ERR_SSL|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/.test(code))
    return 'has a certificate that is not trusted';
  return NETWORK_FAULTS[code] ?? 'could not be reached, or did not answer in HTTP';
}
