import type { AnswerRequest } from '@/lib/api/mount';
import { pathOf } from '@/lib/enforcement/canonical-path';
import { pageHeaders } from '@/lib/http/page-headers';
import type { Services } from '@/lib/operation/services';

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

/** What answers a request, by its path and query as they were sent; null for what only Next can answer. */
export type Administer = (method: string, target: string) => AnswerAdminCall | null;

/** Changes: their answers are short. Lists, downloads and streams are Next's, which compresses them. */
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** What any router reads in one way. */
const PLAIN = /^\/v1\/admin(?:\/[A-Za-z0-9_-]+)+$/;

/**
 * Answers changes as Next's route handlers do, with the headers that `proxy.ts` gives their answers. Next costs as much
 * as a change does.
 * @param load loads the API with the first change, because an instance that only decides does not need it
 */
export function administer({ config }: Pick<Services, 'config'>, load: () => Promise<AnswerRequest>): Administer {
  let loaded: Promise<AnswerRequest> | undefined;
  return (asked, target) => {
    const method = METHODS.find((known) => known === asked);
    if (method === undefined || !PLAIN.test(pathOf(target))) return null;
    return async (call) => {
      loaded ??= load();
      const answer = await loaded;
      const request = toRequest(method, target, call);
      const response = await answer(request);
      const { response: ofPages } = pageHeaders(request, config);
      for (const [name, value] of Object.entries(ofPages)) response.headers.set(name, value);
      return response;
    };
  };
}

function toRequest(method: string, target: string, { headers: fields, body, signal }: AdminCall): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  const url = `http://${headers.get('host') ?? 'localhost'}${target}`;
  return new Request(url, { method, headers, body: body === null ? null : Buffer.from(body), signal });
}
