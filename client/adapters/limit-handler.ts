import { endWithBody } from '@/client/adapters/end-with-body';
import {
  type Checker,
  isPreflightBy,
  type Limited,
  type LimitOptions,
  limitRequest,
} from '@/client/adapters/limit-request';

/** Web request, as in every runtime and framework. */
export interface WebRequest {
  method: string;
  url: string;
  headers: Headers;
}

/** Decides a web request. */
export function limitWebRequest<Req extends WebRequest>(
  sluice: Checker,
  options: LimitOptions<Req>,
  request: Req,
): Promise<Limited | null> {
  const { method, url, headers } = request;
  const target = new URL(url, 'http://sluice.invalid').pathname;
  const isPreflight = isPreflightBy(method, (name) => headers.get(name));
  return limitRequest(sluice, options, request, { method, target, accept: headers.get('accept'), isPreflight });
}

/** Wraps a handler with a limit. */
export function limitHandler<Req extends WebRequest, Rest extends unknown[]>(
  sluice: Checker,
  options: LimitOptions<Req>,
  handler: (request: Req, ...rest: Rest) => Response | Promise<Response>,
) {
  return async (request: Req, ...rest: Rest): Promise<Response> => {
    const limited = await limitWebRequest(sluice, options, request);
    if (limited === null) return handler(request, ...rest);
    const refusal = createRefusal(limited);
    if (refusal !== null) return refusal;
    try {
      const response = await handler(request, ...rest);
      return addHeaders(endWithBody(response, limited), limited.headers);
    } catch (error) {
      limited.recordEnd?.(500);
      throw error;
    }
  };
}

export function createRefusal({ refusal, headers }: Limited): Response | null {
  if (refusal === null) return null;
  const response = new Response(refusal.body, { status: refusal.status, headers });
  LIMITED.add(response);
  return response;
}

/** Answers that already have the headers of a limit. An outer limit decides earlier and replaces none of them. */
const LIMITED = new WeakSet<Response>();

function addHeaders(response: Response, headers: Record<string, string>): Response {
  const isLimited = LIMITED.has(response);
  const own = Object.entries(headers).filter(([name]) => !isLimited || !response.headers.has(name));
  let changed = response;
  try {
    for (const [name, value] of own) changed.headers.set(name, value);
  } catch {
    // Headers of a fetched response are immutable, so it is copied.
    changed = new Response(response.body, response);
    for (const [name, value] of own) changed.headers.set(name, value);
  }
  LIMITED.add(changed);
  return changed;
}
