import type { IncomingMessage, ServerResponse } from 'node:http';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { classifyRoute } from '@/lib/enforcement/route-class';
import { readClientAddress } from '@/lib/http/client-address';
import { HeaderFields } from '@/lib/http/header-fields';
import type { Services } from '@/lib/operation/services';

/** Wraps a request, called by `server/serve.ts`. Undefined if tracing is off. */
export type TraceRequest = (request: IncomingMessage, response: ServerResponse, work: () => void) => void;

/** Traces requests, except probes and files of the build. */
export function traceRequests({ config, tracing }: Pick<Services, 'config' | 'tracing'>): TraceRequest | undefined {
  if (tracing === undefined) return undefined;
  const hasUpstream = config.SLUICE_UPSTREAM !== undefined;
  return (request, response, work) => {
    const { method = '', url = '', headers } = request;
    const route = classifyRoute(url, hasUpstream);
    if (route === 'probe' || route === 'static') return work();
    const address = readClientAddress(new HeaderFields(headers), config)?.text ?? null;
    const requestId = String(headers['x-request-id']);
    const end = tracing.serve({ method, path: parsePath(url), route, requestId, address, headers }, work);
    response.once('close', () => end(response.statusCode));
  };
}

/** Returns the trace id of a request, from the header that `traceRequests` has set (W3C Trace Context, section 3.2). */
export function readTraceId(headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined {
  return /^[\da-f]{2}-([\da-f]{32})-/.exec(String(headers.traceparent))?.[1];
}
