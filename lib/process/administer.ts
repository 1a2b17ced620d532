import { pathOf } from '@/lib/enforcement/canonical-path';
import type { Handler, Handlers } from '@/lib/http/methods';
import { pageHeaders } from '@/lib/http/page-headers';
import type { RouteContext } from '@/lib/operation/endpoint';
import type { Services } from '@/lib/operation/services';

/** The route files by their paths, whose parameters stand in braces. */
export type AdminRoutes = Readonly<Record<string, Handlers<Handler<RouteContext>>>>;

/** A request that the door has let in, with its whole body. */
interface AdminCall {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Uint8Array | null;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
}

/** Answers a change of the admin API without Next. */
type AnswerAdminCall = (call: AdminCall) => Promise<Response>;

/** Finds what answers a request, by its path and query as they were sent; null for what only Next can answer. */
export type Administer = (method: string, target: string) => Promise<AnswerAdminCall | null> | null;

/** Changes: their answers are short. Lists, downloads and streams are Next's, which compresses them. */
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** What any router reads in one way. */
const PLAIN = /^\/v1\/admin(?:\/[A-Za-z0-9_-]+)+$/;

/**
 * Runs the very handlers of the route files, with the headers that `proxy.ts` gives their answers. Next costs as much as
 * a change does.
 * @param load the route files, with the first change: an instance that only decides does not need them
 */
export function administer({ config }: Pick<Services, 'config'>, load: () => Promise<AdminRoutes>): Administer {
  let loaded: Promise<Place[]> | undefined;
  return (asked, target) => {
    const method = METHODS.find((known) => known === asked);
    const path = pathOf(target);
    if (method === undefined || !PLAIN.test(path)) return null;
    loaded ??= load().then(placesOf);
    return loaded.then((places) => {
      for (const { names, pattern, handlers } of places) {
        const values = pattern.exec(path);
        if (values === null) continue;
        const params = Object.fromEntries(names.map((name, index) => [name, values[index + 1] ?? '']));
        return async (call) => {
          const request = toRequest(method, target, call);
          const response = await handlers[method](request, { params: Promise.resolve(params) });
          const { response: ofPages } = pageHeaders(request, config);
          for (const [name, value] of Object.entries(ofPages)) response.headers.set(name, value);
          return response;
        };
      }
      return null;
    });
  };
}

interface Place {
  names: string[];
  pattern: RegExp;
  handlers: Handlers<Handler<RouteContext>>;
}

/** As the router, with paths without parameters first. */
function placesOf(routes: AdminRoutes): Place[] {
  const places = Object.entries(routes).map(([path, handlers]) => {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    return { names, pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`), handlers };
  });
  return places.toSorted((one, other) => one.names.length - other.names.length);
}

function toRequest(method: string, target: string, { headers: fields, body, signal }: AdminCall): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  const url = `http://${headers.get('host') ?? 'localhost'}${target}`;
  return new Request(url, { method, headers, body: body === null ? null : Buffer.from(body), signal });
}
