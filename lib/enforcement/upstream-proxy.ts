import type { Logger } from 'pino';
import { type AdmissionServices, admission, protectionOf } from '@/lib/enforcement/admission';
import { canonicalPath, isAuthorizationServer, pathOf } from '@/lib/enforcement/canonical-path';
import { type UpstreamSettings, upstreamRequest } from '@/lib/enforcement/upstream-request';
import { toApiError } from '@/lib/fault';
import { ApiError } from '@/lib/http/api-error';
import { type Answer, errorAnswer } from '@/lib/http/error-answer.mjs';
import { MAX_BODY_BYTES } from '@/lib/http/json-body';
import { REQUEST_ID_HEADER } from '@/lib/http/request-id';

/** The head of a request as `server.mjs` has it. */
interface UpstreamCall {
  method: string;
  /** Path and query as they were sent. */
  target: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  requestId: string;
}

/** What to do with a request: send our answer, or proxy it. */
export type UpstreamDecision =
  | { kind: 'answer'; answer: Answer }
  | {
      kind: 'proxy';
      /** Of the upstream. */
      origin: string;
      /** Of the proxied request, without hop-by-hop fields; the framing is up to the sender. */
      headers: Record<string, string>;
      /** Headers of the decision, for the upstream's answer. */
      extra: Record<string, string>;
      /** The answer when the upstream does not give one. */
      unreachable: Answer;
    };

/** How `server.mjs` proxies to the upstream. */
export interface UpstreamProxy {
  /** Whether a request target is the upstream's. */
  takes(target: string): boolean;
  /** The largest body that the decision has to see before it is made, in bytes: where it may name an OAuth client. */
  maxInspectedBody(method: string, target: string): number;
  decide(call: UpstreamCall, body: Uint8Array | null): Promise<UpstreamDecision>;
}

const RETRY_AFTER = '2';
const ORIGIN = 'http://localhost';

interface UpstreamProxyServices extends AdmissionServices {
  readonly config: AdmissionServices['config'] & UpstreamSettings;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Decides requests for the upstream on a server that runs `server.mjs`, which proxies them: its streams neither truncate
 * a body nor change a path. Without `server.mjs` (on Vercel) `proxy.ts` decides them and rewrites to the upstream.
 */
export function upstreamProxy(services: UpstreamProxyServices, upstream: string): UpstreamProxy {
  return {
    takes: (target) => protectionOf(pathOf(target), true) === 'upstream',
    maxInspectedBody: (method, target) =>
      method !== 'GET' && method !== 'HEAD' && isAuthorizationServer(target) ? MAX_BODY_BYTES : 0,
    decide: (call, body) => decide(services, upstream, call, body),
  };
}

async function decide(
  services: UpstreamProxyServices,
  upstream: string,
  call: UpstreamCall,
  body: Uint8Array | null,
): Promise<UpstreamDecision> {
  const headers = headersOf(call);
  const accept = headers.get('accept');
  try {
    const path = pathOf(call.target);
    // A fixed origin: what the client says about hosts must not take part in the decision.
    const request = new Request(`${ORIGIN}${call.target}`, {
      method: call.method,
      headers,
      ...(body === null ? {} : { body: new Uint8Array(body) }),
    });
    if (canonicalPath(new URL(request.url).pathname) !== canonicalPath(path))
      throw new ApiError('bad_request', 'The path is ambiguous.');
    const { headers: extra, response } = await admission(request, services, call.requestId, path);
    if (response !== null) return { kind: 'answer', answer: await toAnswer(response) };
    const proxied = upstreamRequest(request, upstream, services.config, call.requestId);
    const down = new ApiError('service_unavailable', 'The server behind this gateway is down.', {
      headers: { ...extra, 'Retry-After': RETRY_AFTER },
    });
    return {
      kind: 'proxy',
      origin: upstream,
      headers: Object.fromEntries(proxied.headers),
      extra: { ...extra, [REQUEST_ID_HEADER]: call.requestId },
      unreachable: errorAnswer(down, accept, call.requestId),
    };
  } catch (fault) {
    const error = toApiError(fault);
    if (error.status >= 500)
      services.logger.error({ requestId: call.requestId, err: error.cause ?? error }, 'request failed');
    return { kind: 'answer', answer: errorAnswer(error, accept, call.requestId) };
  }
}

function headersOf(call: UpstreamCall): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(call.headers)) {
    for (const line of Array.isArray(value) ? value : [value]) if (line !== undefined) headers.append(name, line);
  }
  return headers;
}

async function toAnswer(response: Response): Promise<Answer> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}
