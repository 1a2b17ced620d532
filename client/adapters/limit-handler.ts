import { type Checker, type Limited, type LimitOptions, limitRequest } from '@/client/adapters/limit-request';

/** A request of the web platform, as every runtime and framework has it. */
export interface WebRequest {
  method: string;
  url: string;
  headers: Headers;
}

/** The decision on a request of the web platform. */
export function limitWebRequest<Req extends WebRequest>(
  sluice: Checker,
  options: LimitOptions<Req>,
  request: Req,
): Promise<Limited | null> {
  const { method, url, headers } = request;
  const target = new URL(url, 'http://sluice.invalid').pathname;
  return limitRequest(sluice, options, request, { method, target, accept: headers.get('accept') });
}

/** A handler that answers what its limit admits. */
export function limitHandler<Req extends WebRequest, Rest extends unknown[]>(
  sluice: Checker,
  options: LimitOptions<Req>,
  handler: (request: Req, ...rest: Rest) => Response | Promise<Response>,
) {
  return async (request: Req, ...rest: Rest): Promise<Response> => {
    const limited = await limitWebRequest(sluice, options, request);
    if (limited === null) return handler(request, ...rest);
    const refusal = refusalOf(limited);
    if (refusal !== null) return refusal;
    try {
      const response = await handler(request, ...rest);
      limited.answered?.(response.status);
      return withHeaders(response, limited.headers);
    } catch (error) {
      limited.answered?.(500);
      throw error;
    }
  };
}

export function refusalOf({ refusal, headers }: Limited): Response | null {
  return refusal === null ? null : new Response(refusal.body, { status: refusal.status, headers });
}

function withHeaders(response: Response, headers: Record<string, string>): Response {
  try {
    for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
    return response;
  } catch {
    // Those of a fetched response cannot be changed.
    const changed = new Response(response.body, response);
    for (const [name, value] of Object.entries(headers)) changed.headers.set(name, value);
    return changed;
  }
}
