import { callApi, type withQuery } from '@/components/api-client';
import { type AnswerOf, type CallInput, type Contract, pathOf } from '@/lib/contract/operation';

interface CallOptions {
  /** The `etag` of what was read: the change is refused with 412 if it was changed since. */
  readonly ifMatch?: string | null;
  readonly signal?: AbortSignal;
}

/** `CallInput` of any contract. */
interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Parameters<typeof withQuery>[1];
  readonly body?: unknown;
}

export interface CallAnswer<T> {
  value: T;
  /** To send back as `ifMatch`. */
  etag: string | null;
  /** The `cursor` of the next page, null after the last. */
  next: string | null;
}

/**
 * Calls an operation of this origin's API with the session cookie. Path, method and schemas are the contract's.
 * @throws CallError
 */
export function call<const C extends Contract>(
  contract: C,
  input: CallInput<C> & CallOptions,
): Promise<CallAnswer<AnswerOf<C>>>;
export async function call(contract: Contract, input: AnyInput): Promise<CallAnswer<unknown>> {
  const { params, query, body, ifMatch = null, signal } = input;
  const { schema } = contract.response;
  const answer = await callApi<unknown>(pathOf(contract, params), {
    method: contract.method,
    query,
    body,
    ifMatch,
    ...(schema === undefined ? {} : { schema }),
    ...(signal === undefined ? {} : { signal }),
  });
  const next = answer.next === null ? null : new URL(answer.next, 'http://origin.invalid').searchParams.get('cursor');
  return { ...answer, next };
}
