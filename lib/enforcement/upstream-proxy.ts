import { admission, protectionOf } from '@/lib/enforcement/admission';
import { canonicalPath } from '@/lib/enforcement/canonical-path';
import { upstreamRequest } from '@/lib/enforcement/upstream-request';
import { toApiError } from '@/lib/fault';
import { ApiError } from '@/lib/http/api-error';
import { type Answer, errorAnswer } from '@/lib/http/error-answer.mjs';
import { MAX_BODY_BYTES } from '@/lib/http/json-body';
import { REQUEST_ID_HEADER } from '@/lib/http/request-id';
import type { Services } from '@/lib/operation/services';

/** The head of a request as `server.mjs` has it. */
export interface UpstreamCall {
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

const AUTH = /^\/auth(?:\/|$)/i;
const RETRY_AFTER = '2';
const ORIGIN = 'http://localhost';

/**
 * Decides requests for the upstream as `proxy.ts` would; `server.mjs` proxies them, because its streams neither truncate
 * a body nor change a path.
 */
export function upstreamProxy(services: Services, upstream: string): UpstreamProxy {
  return {
    takes: (target) => protectionOf(pathOf(target), true) === 'upstream',
    maxInspectedBody: (method, target) =>
      method !== 'GET' && method !== 'HEAD' && AUTH.test(target) ? MAX_BODY_BYTES : 0,
    decide: (call, body) => decide(services, upstream, call, body),
  };
}

async function decide(
  services: Services,
  upstream: string,
  call: UpstreamCall,
  body: Uint8Array | null,
): Promise<UpstreamDecision> {
  const headers = headersOf(call);
  const accept = headers.get('accept');
  try {
    const path = pathOf(call.target);
    // An origin of our own: nothing that the client says about hosts takes part in what is decided.
    const request = new Request(`${ORIGIN}${call.target}`, {
      method: call.method,
      headers,
      ...(body === null ? {} : { body: new Uint8Array(body) }),
    });
    if (canonicalPath(new URL(request.url).pathname) !== canonicalPath(path))
      throw new ApiError('bad_request', 'The path can be read in two ways.');
    const { headers: extra, response } = await admission(request, services, call.requestId, path);
    if (response !== null) return { kind: 'answer', answer: await answerOf(response) };
    const passed = upstreamRequest(request, upstream, services.config, call.requestId);
    const away = new ApiError('service_unavailable', 'The server behind this gateway is out of reach.', {
      headers: { ...extra, 'Retry-After': RETRY_AFTER },
    });
    return {
      kind: 'proxy',
      origin: upstream,
      headers: Object.fromEntries(passed.headers),
      extra: { ...extra, [REQUEST_ID_HEADER]: call.requestId },
      unreachable: errorAnswer(away, accept, call.requestId),
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
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one);
  }
  return headers;
}

function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end < 0 ? target : target.slice(0, end);
}

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
}
