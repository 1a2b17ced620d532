import type { AnswerOf, BodyOf, Contract, ParamsOf, QueryOf } from '@/lib/contract/operation';
import type { Context } from '@/lib/operation/context';

/** An answer with headers, or with another status than the contract's. */
export class Reply<T> {
  constructor(
    readonly value: T,
    /** If `keep` is false, the answer is not stored under an `Idempotency-Key`, so a repeated request runs again. */
    readonly options: { headers?: Record<string, string>; status?: number; keep?: boolean } = {},
  ) {}
}

/** The request as the contract's schemas parsed it. */
interface Input<C extends Contract> {
  params: ParamsOf<C>;
  query: QueryOf<C>;
  body: BodyOf<C>;
}

type Frozen<T> = T extends string ? T : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
type Answered<C extends Contract> = Frozen<AnswerOf<C>> | Reply<Frozen<AnswerOf<C>>> | Response;

/** A contract of any kind, with its implementation. */
export interface Operation extends Contract {
  run(context: Context, input: { params: unknown; query: unknown; body: unknown }): Promise<unknown>;
}

/** Implements a contract. An idempotent operation must return the very result of its one `change`. */
export function implement<const C extends Contract>(
  contract: C,
  run: (context: Context, input: Input<C>) => Promise<Answered<C>>,
): C & { run(context: Context, input: Input<C>): Promise<Answered<C>> } {
  return { ...contract, run };
}
