/** What a call takes beside what the operation names. */
export interface CallOptions {
  /** The `ETag` of what was read: 412 if it was changed since. */
  ifMatch?: string;
  /** Calls with the same key and body have one effect. */
  idempotencyKey?: string;
  /** Sent in `X-API-Key` in place of the token, for the operations of a key's holder. */
  apiKey?: string;
  signal?: AbortSignal;
  /** Milliseconds until the call is given up, 24.8 days at most. 20,000 */
  timeout?: number;
}

/** An answer with what its headers say. */
export interface OperationAnswer<T> {
  value: T;
  status: number;
  /** To send back as `ifMatch`. */
  etag: string | null;
  /** The `cursor` of the next page; null after the last. */
  next: string | null;
  /** The number of the audit record of a change, by which `audit.undo` takes it back. */
  auditSeq: number | null;
  requestId: string | null;
}

/** Reads the answer of a call, once, as its caller wants it. */
export interface CallReader {
  /** @throws SluiceError */
  answer(): Promise<OperationAnswer<unknown>>;
  /** @throws SluiceError */
  entries(): AsyncGenerator<unknown, void, undefined>;
}

/**
 * A call under way. Await it for its value, `withAnswer` for the headers too, or iterate over it: over all entries of a list
 * page by page, or over the events of a stream as they arrive.
 */
export class OperationCall<T> implements PromiseLike<T> {
  readonly #reader: Promise<CallReader>;

  /** @internal */
  constructor(reader: Promise<CallReader>) {
    this.#reader = reader;
  }

  /** @throws SluiceError */
  withAnswer(): Promise<OperationAnswer<T>> {
    return this.#reader.then((reader) => reader.answer() as Promise<OperationAnswer<T>>);
  }

  // biome-ignore lint/suspicious/noThenProperty: a call is awaited like a promise, and reads its answer only then.
  then<A = T, B = never>(
    done?: ((value: T) => A | PromiseLike<A>) | null,
    failed?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.withAnswer()
      .then(({ value }) => value)
      .then(done, failed);
  }

  catch<B = never>(failed?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<T | B> {
    return this.then(null, failed);
  }

  finally(ended?: (() => void) | null): Promise<T> {
    return this.then().finally(ended);
  }

  /** @internal Typed where the operation has entries. */
  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, undefined> {
    yield* (await this.#reader).entries();
  }
}
