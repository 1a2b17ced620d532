import type { AnswerRequest } from '@/lib/api/mount';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { ApiError } from '@/lib/http/api-error';
import { pageHeaders } from '@/lib/http/page-headers';
import type { Services } from '@/lib/operation/services';

/** The head of a request that the door has let in, and what receives its body. */
interface Call {
  /** Names in lower case. */
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Receives the body; null when it was refused or the caller went away. Null for a request without one. */
  body: (() => Promise<Uint8Array | null>) | null;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
}

/** Answers a change of the API without Next. */
export type AnswerCall = (call: Call) => Promise<Response>;

/** What answers a request, by its path and query as they were sent; null for what only Next can answer. */
export type Administer = (method: string, target: string) => AnswerCall | null;

/** Changes: their answers are short. Lists and downloads are Next's, which compresses them. */
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;
/** What any router reads in one way: no empty segment, none of dots, and escapes only behind the names of API parts. */
const PLAIN =
  /^\/v1\/(?:(?:admin|oauth)(?:\/(?!(?:\.|%2e){1,2}(?:\/|$))(?:[\w.~-]|%[\da-f]{2})+)+|[\w-]+(?:\/[\w-]+)*)$/i;

/**
 * Answers changes as Next's route handlers do, with the headers that they give their answers. Next costs as much as a
 * change does, and keeps a body before anybody has authorised its sender.
 * @param load loads the API with the first change, because an instance that only decides does not need it
 */
export function administer({ config }: Pick<Services, 'config'>, load: () => Promise<AnswerRequest>): Administer {
  let loaded: Promise<AnswerRequest> | undefined;
  return (asked, target) => {
    const method = METHODS.find((known) => known === asked);
    if (method === undefined || !PLAIN.test(parsePath(target))) return null;
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

function toRequest(method: string, target: string, { headers: fields, body, signal }: Call): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(fields))
    for (const each of [value ?? []].flat()) headers.append(name, each);
  const url = `http://${headers.get('host') ?? 'localhost'}${target}`;
  return new Request(url, {
    ...{ method, headers, signal },
    ...(body === null ? {} : { body: streamOf(body), duplex: 'half' }),
  } as RequestInit);
}

/** A body that is received when it is read, and not before. */
function streamOf(receive: NonNullable<Call['body']>): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      async pull(controller) {
        const bytes = await receive();
        if (bytes === null) return controller.error(new ApiError('bad_request', 'The body did not arrive.'));
        if (bytes.byteLength > 0) controller.enqueue(bytes);
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
}
