import type { Logger } from 'pino';
import { type AdmissionServices, admission, protectionOf } from '@/lib/enforcement/admission';
import { canonicalPath, isAuthorizationServer, pathOf } from '@/lib/enforcement/canonical-path';
import { type UpstreamSettings, upstreamRequest } from '@/lib/enforcement/upstream-request';
import { toApiError } from '@/lib/fault';
import { ApiError } from '@/lib/http/api-error';
import { type Answer, errorAnswer } from '@/lib/http/error-answer.mjs';
import { MAX_BODY_BYTES } from '@/lib/http/json-body';
import { REQUEST_ID_HEADER } from '@/lib/http/request-id';

/** The head of a request as `server.mjs` has it: path and query as they were sent, header names in lower case. */
interface UpstreamCall {
  method: string;
  target: string;
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

interface UpstreamProxyServices extends AdmissionServices {
  readonly config: AdmissionServices['config'] & UpstreamSettings;
  readonly logger: Pick<Logger, 'error'>;
}

/**
 * Decides requests for the upstream on a server that runs `server.mjs`, which proxies them: its streams neither truncate
 * a body nor change a path. Without `server.mjs` (on Vercel) `proxy.ts` decides them and rewrites to the upstream.
 */
export function upstreamProxy(services: UpstreamProxyServices, upstream: string): UpstreamProxy {
  const { config, logger } = services;
  return {
    takes: (target) => protectionOf(pathOf(target), true) === 'upstream',
    maxInspectedBody: (method, target) =>
      method !== 'GET' && method !== 'HEAD' && isAuthorizationServer(target) ? MAX_BODY_BYTES : 0,
    async decide({ method, target, headers: fields, requestId }, body) {
      const headers = headersOf(fields);
      const accept = headers.get('accept');
      try {
        const path = pathOf(target);
        // A fixed origin: what the client says about hosts must not take part in the decision.
        const request = new Request(`http://localhost${target}`, {
          method,
          headers,
          ...(body === null ? {} : { body: new Uint8Array(body) }),
        });
        if (canonicalPath(new URL(request.url).pathname) !== canonicalPath(path))
          throw new ApiError('bad_request', 'The path is ambiguous.');
        const { headers: extra, response } = await admission(request, services, requestId, path);
        if (response !== null) {
          const answer = { headers: Object.fromEntries(response.headers), body: await response.text() };
          return { kind: 'answer', answer: { status: response.status, ...answer } };
        }
        const down = new ApiError('service_unavailable', 'The server behind this gateway is down.', {
          headers: { ...extra, 'Retry-After': '2' },
        });
        return {
          kind: 'proxy',
          origin: upstream,
          headers: Object.fromEntries(upstreamRequest(request, upstream, config, requestId).headers),
          extra: { ...extra, [REQUEST_ID_HEADER]: requestId },
          unreachable: errorAnswer(down, accept, requestId),
        };
      } catch (fault) {
        const error = toApiError(fault);
        if (error.status >= 500) logger.error({ requestId, err: error.cause ?? error }, 'request failed');
        return { kind: 'answer', answer: errorAnswer(error, accept, requestId) };
      }
    },
  };
}

function headersOf(fields: UpstreamCall['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields)) {
    for (const line of [value ?? []].flat()) headers.append(name, line);
  }
  return headers;
}
