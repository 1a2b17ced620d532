import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import { and, eq, gt, lte } from 'drizzle-orm';
import { z } from 'zod';
import { idempotency } from '@/drizzle/schema';
import type { Method } from '@/lib/contract/operation';
import type { Statement } from '@/lib/db/database';
import { ApiError } from '@/lib/http/api-error';
import type { Context } from '@/lib/operation/context';

/** For how long an answer is kept, in milliseconds. */
const KEPT_FOR = 86_400_000;

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** An answer as it is kept: everything but what belongs to one request alone. */
export interface KeptResponse {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

const Headers = z.array(z.tuple([z.string(), z.string()]));

/** What an answer is made of, without its request id. */
export async function toAnswer(response: Response): Promise<KeptResponse> {
  const headers = [...response.headers].filter(([name]) => name !== 'x-request-id');
  return { status: response.status, headers, body: await response.text() };
}

/**
 * The place of one answer. A place belongs to caller, method, path and key. Answers can hold secrets (a new API key), so
 * bodies are encrypted (AES-256-GCM) under a key derived from the authentication secret, and of the request only a keyed
 * hash is kept: neither can be read from the database alone.
 */
export class KeptAnswer {
  readonly #id: string;
  readonly #requestHash: string;
  readonly #encryptionKey: Uint8Array;

  /** @param request its body is parsed JSON, undefined when it had none */
  constructor(
    private readonly context: Context,
    request: { key: string; method: Method; body: unknown },
  ) {
    const { services, actor, facts } = context;
    this.#id = createHash('sha256')
      .update(JSON.stringify([actor.id, request.method, facts.target, request.key]))
      .digest('base64url');
    const derived = new Uint8Array(hkdfSync('sha256', services.authSecret, '', 'sluice idempotency', 64));
    this.#encryptionKey = derived.subarray(0, 32);
    this.#requestHash = createHmac('sha256', derived.subarray(32))
      .update(JSON.stringify([request.body]))
      .digest('base64url');
  }

  /**
   * The answer that is kept here, if there is one.
   * @throws ApiError conflict when it is the answer to another body, or cannot be read any more
   */
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
    return { status: row.status, headers: Headers.parse(JSON.parse(row.headers)), body: this.#decrypt(row.body) };
  }

  /** Keeps an answer; violates a key when one is kept here already. */
  statements(answer: KeptResponse): Statement[] {
    const { database, clock } = this.context.services;
    const expired = and(eq(idempotency.id, this.#id), lte(idempotency.expiresAt, clock()));
    return [
      database.drizzle.delete(idempotency).where(expired),
      database.drizzle.insert(idempotency).values(this.#row(answer)),
    ];
  }

  /** Keeps an answer in place of whatever is kept here. */
  async replace(answer: KeptResponse): Promise<void> {
    const row = this.#row(answer);
    const { drizzle } = this.context.services.database;
    await drizzle.insert(idempotency).values(row).onConflictDoUpdate({ target: idempotency.id, set: row });
  }

  #row({ status, headers, body }: KeptResponse): typeof idempotency.$inferInsert {
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
    const nonce = this.context.services.randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#encryptionKey, nonce).setAAD(Buffer.from(this.#id));
    const text = Buffer.concat([cipher.update(body, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url');
  }

  #decrypt(kept: string): string {
    const bytes = Buffer.from(kept, 'base64url');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#encryptionKey, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(this.#id))
        .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
        'utf8',
      );
    } catch (cause) {
      // The authentication secret was changed since: the effect is there, its answer is lost.
      throw new ApiError('conflict', 'The request was answered before, and the answer cannot be read any more.', {
        cause,
      });
    }
  }
}
