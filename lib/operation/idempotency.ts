import { createHash, createHmac } from 'node:crypto';
import { and, eq, gt, lte } from 'drizzle-orm';
import { z } from 'zod';
import { idempotency } from '@/drizzle/schema';
import { deriveKey, seal, unseal } from '@/lib/auth/sealed';
import type { Method } from '@/lib/contract/operation';
import type { Statement } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import { createInvalidField } from '@/lib/http/input';
import type { Context, Once } from '@/lib/operation/context';
import { Reply } from '@/lib/operation/operation';
import { DAY } from '@/lib/units';

/** Thrown if an equal request was answered while this one waited. */
class AnsweredBefore extends Error {
  constructor(readonly answer: KeptResponse) {
    super('An equal request was answered before.');
  }
}

/**
 * Answers a request that carries an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07). Repeated
 * requests, even on other connections, have one effect and get the same answer for 24 hours.
 *
 * There is no reservation that a crash could leave behind. The answer is written in the transaction of the change
 * (`Once`), so both exist or neither does, even between processes on one database. The first of concurrent requests
 * commits; the others find its answer. Refusals and faults have no effect and are not kept, so the request may be
 * repeated with the same key.
 * @param request its key, or null if absent, and its body as parsed JSON
 * @param run the operation; if it does not return the very result of its change, the answer is kept only after the
 * change
 * @throws ApiError invalid_request if the key is malformed, conflict if the key was used with another body
 */
export async function runIdempotently(
  context: Context,
  request: { key: string | null; method: Method; body: unknown },
  run: (context: Context) => Promise<unknown>,
  respond: (result: unknown) => Response,
): Promise<Response> {
  const { key, method, body } = request;
  if (key === null) return respond(await run(context));
  if (!/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw createInvalidField('Idempotency-Key', 'must have 1 to 255 visible ASCII characters');
  }

  const place = new KeptAnswer(context, { key, method, body });
  const existing = await place.find();
  if (existing !== undefined) return await replayAnswer(existing, context);
  const kept: { result?: unknown; answer?: KeptResponse } = {};
  const once: Once = {
    async throwIfAnswered() {
      const answer = await place.find();
      if (answer !== undefined) throw new AnsweredBefore(answer);
    },
    async keep(result) {
      const answer = await convertResponse(respond(result));
      Object.assign(kept, { result, answer });
      return place.buildStatements(answer);
    },
  };
  try {
    const result = await run({ ...context, once });
    if (kept.answer !== undefined && kept.result === result) return buildResponse(kept.answer, context);
    const answer = await convertResponse(respond(result));
    if (result instanceof Reply && result.options.keep === false) return buildResponse(answer, context);
    await place.replace(answer);
    return buildResponse(answer, context);
  } catch (error) {
    if (error instanceof AnsweredBefore) return await replayAnswer(error.answer, context);
    // An equal request may have committed first and so caused this refusal.
    const first = error instanceof ApiError && error.status < 500 ? await place.find() : undefined;
    if (first !== undefined) return await replayAnswer(first, context);
    throw error;
  }
}

function buildResponse({ status, headers, body }: KeptResponse, { requestId }: Context): Response {
  const response = new Response(status === 204 ? null : body, { status, headers });
  response.headers.set('X-Request-Id', requestId);
  return response;
}

/**
 * Returns a kept answer. A concurrent request may have committed it without syncing it to the disk, so this waits for
 * the sync.
 */
async function replayAnswer(answer: KeptResponse, context: Context): Promise<Response> {
  await context.services.database.waitUntilDurable();
  const response = buildResponse(answer, context);
  response.headers.set('Idempotency-Replayed', 'true');
  return response;
}

/** Time for which an answer is kept, in milliseconds. */
const KEPT_FOR = DAY;

interface KeptResponse {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

const Headers = z.array(z.tuple([z.string(), z.string()]));

export function parseKeptHeaders(json: string): KeptResponse['headers'] {
  return Headers.parse(JSON.parse(json));
}

/** Converts a response to its stored form, without its request id. */
async function convertResponse(response: Response): Promise<KeptResponse> {
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id');
  return { status: response.status, headers, body: await response.text() };
}

/**
 * Storage of one answer, identified by caller, method, path and key. Answers can hold secrets (a new API key), so
 * bodies are encrypted (AES-256-GCM) under a key derived from the authentication secret. Only a keyed hash of the
 * request is stored. Neither can be read from the database alone.
 */
class KeptAnswer {
  readonly #id: string;
  readonly #requestHash: string;
  readonly #encryptionKey: Uint8Array;

  /** @param request its body is parsed JSON, or undefined if it had none */
  constructor(
    private readonly context: Context,
    request: { key: string; method: Method; body: unknown },
  ) {
    const { services, actor, facts } = context;
    this.#id = createHash('sha256')
      .update(JSON.stringify([actor.id, request.method, facts.target, request.key]))
      .digest('base64url');
    const derived = deriveKey(services.authSecret, 'sluice idempotency', 64);
    this.#encryptionKey = derived.subarray(0, 32);
    this.#requestHash = createHmac('sha256', derived.subarray(32))
      .update(JSON.stringify([request.body]))
      .digest('base64url');
  }

  /** Finds the kept answer. @throws ApiError conflict if it answers another body or can no longer be decrypted */
  async find(): Promise<KeptResponse | undefined> {
    const { database, clock } = this.context.services;
    const [row] = await database.drizzle
      .select()
      .from(idempotency)
      .where(and(eq(idempotency.id, this.#id), gt(idempotency.expiresAt, clock())));
    if (row === undefined) return undefined;
    if (row.requestHash !== this.#requestHash) {
      throw new ApiError('conflict', 'The Idempotency-Key was used for another request.');
    }
    return { status: row.status, headers: parseKeptHeaders(row.headers), body: this.#decrypt(row.body) };
  }

  /** Returns the statements that keep an answer. They violate a key constraint if one is kept already. */
  buildStatements(answer: KeptResponse): Statement[] {
    const { database, clock } = this.context.services;
    const expired = and(eq(idempotency.id, this.#id), lte(idempotency.expiresAt, clock()));
    return [
      database.drizzle.delete(idempotency).where(expired),
      database.drizzle.insert(idempotency).values(this.#buildRow(answer)),
    ];
  }

  /** Keeps an answer and replaces an existing one. */
  async replace(answer: KeptResponse): Promise<void> {
    const row = this.#buildRow(answer);
    const { drizzle } = this.context.services.database;
    await drizzle.insert(idempotency).values(row).onConflictDoUpdate({ target: idempotency.id, set: row });
  }

  #buildRow({ status, headers, body }: KeptResponse): typeof idempotency.$inferInsert {
    return {
      id: this.#id,
      requestHash: this.#requestHash,
      status,
      headers: JSON.stringify(headers),
      body: this.#encrypt(body),
      expiresAt: this.context.services.clock() + KEPT_FOR,
    };
  }

  #encrypt(body: string): string {
    return seal(body, this.#buildSealing(), this.context.services.randomBytes);
  }

  #buildSealing() {
    return { key: this.#encryptionKey, place: this.#id };
  }

  #decrypt(sealed: string): string {
    try {
      return unseal(sealed, this.#buildSealing());
    } catch (cause) {
      // The authentication secret has changed since. The effect exists, but its answer is lost.
      throw new ApiError('conflict', 'This request was already answered, and that answer can no longer be decrypted.', {
        cause,
      });
    }
  }
}
