/** Options of a call, besides the operation's own. */
export interface CallOptions {
  /** `ETag` of the read resource. The server answers 412 if it has changed since. */
  ifMatch?: string;
  /** Calls with the same key and body have one effect. */
  idempotencyKey?: string;
  /** Sent in `X-API-Key` instead of the token, for operations of a key's holder. */
  apiKey?: string;
  signal?: AbortSignal;
  /** Timeout in milliseconds, at most 24.8 days. Default: 20,000. */
  timeout?: number;
}

/** An answer with the values of its headers. */
export interface OperationAnswer<T> {
  value: T;
  status: number;
  /** Send it as `ifMatch` with the next change. */
  etag: string | null;
  /** The `cursor` of the next page. Null after the last. */
  next: string | null;
  /** Number of a change's audit record, for `audit.undo`. */
  auditSeq: number | null;
  requestId: string | null;
}

/** Reads the answer of a call once, in the form its caller needs. */
export interface CallReader {
  /** @throws SluiceError */
  answer(): Promise<OperationAnswer<unknown>>;
  /** @throws SluiceError */
  entries(): AsyncGenerator<unknown, void, undefined>;
}

/**
 * A call in flight. Await it for its value, use `withAnswer` to get the headers too, or iterate over it. Iteration
 * yields all entries of a list page by page, or the events of a stream as they arrive.
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

  /** @internal Typed for operations that have entries. */
  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void, undefined> {
    yield* (await this.#reader).entries();
  }
}
