import type { z } from 'zod';
import type { ErrorCode } from '@/lib/http/api-error';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Who may call: a role (a higher one includes the lower), `decide` (operator, owner or gateway), any token, everyone. */
export type RoleAccess = 'viewer' | 'operator' | 'owner' | 'decide' | 'any-token' | 'public';

/** A role, or a credential that the operation checks itself. */
export type Access = RoleAccess | 'api-key' | 'cron' | 'lab-token' | 'lab-client';

export interface DescribedResponse {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** `application/json` when absent and there is a schema; a body of another type is described as a string. */
  readonly mediaTypes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** All that a caller can know of one operation, for routes, OpenAPI document, `call` and tests. No server code. */
export interface Contract {
  /** lowerCamelCase; OpenAPI's `operationId`. */
  readonly id: string;
  readonly method: Method;
  /** With `{parameter}`, as in OpenAPI. */
  readonly path: string;
  readonly tag: string;
  /**
   * What it is called in `sluice` and, with dots, in `sluice/client`: a noun and a verb, as `allowlist add`. Without one
   * it is an endpoint of a protocol, for gateways and OAuth clients.
   */
  readonly command?: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /** What answers it where no `implement` does; such an operation has no file in `lib/admin`. */
  readonly servedBy?: 'decision-api' | 'lab' | 'health';
  /** Also for sessions that must set up a second factor first. */
  readonly duringSetUp?: true;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly headers?: z.ZodType;
  readonly body?: {
    readonly schema: z.ZodType;
    readonly required: boolean;
    readonly mediaTypes?: readonly string[];
    /** Largest body in bytes; 64 KiB when absent. */
    readonly limit?: number;
  };
  readonly response: DescribedResponse & { readonly status: 200 | 201 | 204 };
  /** Responses by status that are neither the success nor one of Sluice's errors. */
  readonly otherResponses?: Readonly<Record<string, DescribedResponse>>;
  /** Errors of the operation itself; those of the machinery around it follow from the rest of the contract. */
  readonly errors?: readonly ErrorCode[];
  /** `Idempotency-Key` is honoured. `resource` says so of every change by PUT, PATCH or DELETE. */
  readonly idempotent?: boolean;
  /** `If-Match` is honoured. */
  readonly conditional?: boolean;
  /**
   * Where the reason of a change comes from; an operation with one leaves an audit record and answers with its number
   * in `X-Audit-Seq`. `query`: `resource` adds the parameter.
   */
  readonly reason?: 'query' | 'body';
  /** A call that the schemas accept. */
  readonly example?: {
    readonly params?: Readonly<Record<string, string>>;
    readonly query?: Readonly<Record<string, string>>;
    readonly body?: unknown;
  };
}

type Parsed<S, Absent> = S extends z.ZodType ? z.output<S> : Absent;
type Sent<S> = S extends z.ZodType ? z.input<S> : never;

export type ParamsOf<C extends Contract> = Parsed<C['params'], Record<never, never>>;
export type QueryOf<C extends Contract> = Parsed<C['query'], Record<never, never>>;
/** The parsed body; undefined is possible only where the contract does not require one. */
export type BodyOf<C extends Contract> = C['body'] extends { schema: infer S; required: infer Required }
  ? Parsed<S, undefined> | (Required extends true ? never : undefined)
  : undefined;
export type AnswerOf<C extends Contract> = C['response'] extends { schema: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** A value of the query that is null, undefined or empty is not sent. */
type SentQuery<Q> = { readonly [K in keyof Q]: undefined extends Q[K] ? Q[K] | null : Q[K] };

/** What a caller sends, before parsing. */
export type CallInput<C extends Contract> = (C['params'] extends z.ZodType
  ? { readonly params: Sent<C['params']> }
  : { readonly params?: undefined }) &
  (C['query'] extends z.ZodType
    ? Record<never, never> extends Sent<C['query']>
      ? { readonly query?: SentQuery<Sent<C['query']>> }
      : { readonly query: SentQuery<Sent<C['query']>> }
    : { readonly query?: undefined }) &
  (C['body'] extends { schema: infer S; required: infer Required }
    ? Required extends true
      ? { readonly body: Sent<S> }
      : { readonly body?: Sent<S> }
    : { readonly body?: undefined });

/** Whether a body comes as a form, which may also come in JSON. */
export function isForm(body: Contract['body']): boolean {
  return body?.mediaTypes?.includes('application/x-www-form-urlencoded') === true;
}

/** The contract's path with its parameters filled in. */
export function pathOf({ path }: Contract, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
