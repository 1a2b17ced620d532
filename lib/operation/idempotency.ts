import type { Method } from '@/lib/contract/operation';
import { ApiError } from '@/lib/http/api-error';
import { invalidField } from '@/lib/http/input';
import type { Context, Once } from '@/lib/operation/context';
import { KeptAnswer, type KeptResponse, toAnswer } from '@/lib/operation/kept-answer';

/** Thrown when an equal request was answered while this one waited for its turn. */
class AnsweredBefore extends Error {
  constructor(readonly answer: KeptResponse) {
    super('An equal request was answered before.');
  }
}

/**
 * Answers a request that carries an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): its effect comes
 * once, however often and from however many connections it is sent, and each time the answer is the same, for 24 hours.
 *
 * There is no reservation that could be left behind: the answer is written in the transaction of the change (`Once`), so
 * effect and answer are both there or neither is, also after a crash and between processes on one database. Of requests
 * that run at the same time one is first; the others find its answer when their turn comes. Refusals and faults have no
 * effect and are not kept: the request may be sent again with the same key.
 *
 * @param request its `Idempotency-Key`, null when there is none, and its body as parsed JSON
 * @param run the operation; what it answers with should be the very result of its change, else the answer is kept only
 *   after the change
 * @param respond turns the result into a response
 * @throws ApiError invalid_request for a malformed key, conflict for a key that was used with another body
 */
export async function withIdempotency(
  context: Context,
  request: { key: string | null; method: Method; body: unknown },
  run: (context: Context) => Promise<unknown>,
  respond: (result: unknown) => Response,
): Promise<Response> {
  const { key, method, body } = request;
  if (key === null) return respond(await run(context));
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw invalidField('Idempotency-Key', 'must have 1 to 255 visible ASCII characters');
  }

  const place = new KeptAnswer(context, { key, method, body });
  const existing = await place.find();
  if (existing !== undefined) return replayed(existing, context);
  const kept: { result?: unknown; answer?: KeptResponse } = {};
  const once: Once = {
    async before() {
      const answer = await place.find();
      if (answer !== undefined) throw new AnsweredBefore(answer);
    },
    async keep(result) {
      const answer = await toAnswer(respond(result));
      Object.assign(kept, { result, answer });
      return place.statements(answer);
    },
  };
  try {
    const result = await run({ ...context, once });
    if (kept.answer !== undefined && kept.result === result) return toResponse(kept.answer, context);
    const answer = await toAnswer(respond(result));
    await place.replace(answer);
    return toResponse(answer, context);
  } catch (error) {
    if (error instanceof AnsweredBefore) return replayed(error.answer, context);
    // An equal request may have been first, and is what this one was refused for.
    const first = error instanceof ApiError && error.status < 500 ? await place.find() : undefined;
    if (first !== undefined) return replayed(first, context);
    throw error;
  }
}

function toResponse({ status, headers, body }: KeptResponse, { requestId }: Context): Response {
  const response = new Response(status === 204 ? null : body, { status, headers });
  response.headers.set('X-Request-Id', requestId);
  return response;
}

function replayed(answer: KeptResponse, context: Context): Response {
  const response = toResponse(answer, context);
  response.headers.set('Idempotency-Replayed', 'true');
  return response;
}
