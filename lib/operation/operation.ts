import type { TokenRole } from '@/lib/contract/fields/enumerations';
import type { AnswerOf, BodyOf, Contract, ParamsOf, QueryOf } from '@/lib/contract/operation';
import type { Once } from '@/lib/operation/once';
import type { Services } from '@/lib/operation/services';

/** Who asks. `id` is `token:<uuid>`, `member:<uuid>`, `bootstrap`, `system` or `anonymous`. */
export interface Actor {
  id: string;
  /** What a person recognises: an e-mail address or a token's name. */
  name: string;
  role: TokenRole;
}

export const ANONYMOUS: Actor = { id: 'anonymous', name: 'anonymous', role: 'gateway' };
export const SYSTEM: Actor = { id: 'system', name: 'Sluice', role: 'owner' };

/** What an operation knows of the request beside its input. */
export interface Context {
  services: Services;
  actor: Actor;
  requestId: string;
  /** The client's address in canonical form, null when it is not known. */
  address: string | null;
  /** When the request is handled, by the wall clock. */
  now: number;
  request: Request;
  /** Set while the answer is kept under an `Idempotency-Key`. */
  once?: Once;
}

/** An answer with headers or another status than the operation's usual one. */
export class Reply<T> {
  constructor(
    readonly value: T,
    readonly options: { headers?: Record<string, string>; status?: number } = {},
  ) {}
}

/** What `run` gets of the request: parsed by the contract's schemas. */
export interface Input<C extends Contract> {
  params: ParamsOf<C>;
  query: QueryOf<C>;
  body: BodyOf<C>;
}

type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;
type Answered<C extends Contract> = Frozen<AnswerOf<C>> | Reply<Frozen<AnswerOf<C>>> | Response;

/** A contract and what carries it out. */
export interface Operation extends Contract {
  run(context: Context, input: { params: unknown; query: unknown; body: unknown }): Promise<unknown>;
}

/** Carries out a contract. An idempotent one answers with the very result of its one `change`. */
export function implement<const C extends Contract>(
  contract: C,
  run: (context: Context, input: Input<C>) => Promise<Answered<C>>,
): C & { run(context: Context, input: Input<C>): Promise<Answered<C>> } {
  return { ...contract, run };
}
