import type { z } from 'zod';
import type { ErrorCode } from '@/lib/http/api-error';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Callers that may use an operation: a role (a higher one includes the lower), `decide` (operator, owner or gateway),
 * any token, or everyone.
 */
export type RoleAccess = 'viewer' | 'operator' | 'owner' | 'decide' | 'any-token' | 'public';

/** A role, or a credential that the operation checks itself. */
export type Access = RoleAccess | 'api-key' | 'cron' | 'lab-token' | 'lab-client';

export interface DescribedResponse {
  readonly description: string;
  readonly schema?: z.ZodType;
  /**
   * Media types of the body. `application/json` if absent and there is a schema. A body of another type is described as
   * a string.
   */
  readonly mediaTypes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Public description of one operation, for routes, OpenAPI document, `call` and tests. Contains no server code. */
export interface Contract {
  /** Name in lowerCamelCase. It is OpenAPI's `operationId`. */
  readonly id: string;
  readonly method: Method;
  /** Path with `{parameter}`, as in OpenAPI. */
  readonly path: string;
  readonly tag: string;
  /**
   * Name in `sluice` and, with dots, in `sluice/client`: a noun and a verb, such as `allowlist add`. Absent for an
   * endpoint of a protocol, for gateways and OAuth clients.
   */
  readonly command?: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  /**
   * Part of Sluice that answers the operation in place of `implement`. Such an operation has no file in `lib/admin`.
   */
  readonly servedBy?: 'decision-api' | 'lab' | 'health';
  /** If true, sessions that must set up a second factor first may use it. */
  readonly duringSetUp?: true;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly headers?: z.ZodType;
  readonly body?: {
    readonly schema: z.ZodType;
    readonly required: boolean;
    readonly mediaTypes?: readonly string[];
    /** Size of the largest body in bytes. 64 KiB if absent. */
    readonly limit?: number;
  };
  readonly response: DescribedResponse & { readonly status: 200 | 201 | 204 };
  /** Responses by status that are neither the success nor one of Sluice's errors. */
  readonly otherResponses?: Readonly<Record<string, DescribedResponse>>;
  /** Errors of the operation itself. Errors of the layers around it follow from the rest of the contract. */
  readonly errors?: readonly ErrorCode[];
  /** If true, `Idempotency-Key` is honoured. `resource` sets it for every change by PUT, PATCH or DELETE. */
  readonly idempotent?: boolean;
  /** If true, `If-Match` is honoured. */
  readonly conditional?: boolean;
  /**
   * Place of the reason of a change. An operation with one writes an audit record, and returns its number in
   * `X-Audit-Seq`. For `query`, `resource` adds the parameter.
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
/** The parsed body. It can be undefined only if the contract does not require one. */
export type BodyOf<C extends Contract> = C['body'] extends { schema: infer S; required: infer Required }
  ? Parsed<S, undefined> | (Required extends true ? never : undefined)
  : undefined;
export type AnswerOf<C extends Contract> = C['response'] extends { schema: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** Values of a query. A value that is null, undefined or empty is not sent. */
type SentQuery<Q> = { readonly [K in keyof Q]: undefined extends Q[K] ? Q[K] | null : Q[K] };

/** Input of a call, before parsing. */
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

/** Returns whether a body is a form, which may also come in JSON. */
export function isForm(body: Contract['body']): boolean {
  return body?.mediaTypes?.includes('application/x-www-form-urlencoded') === true;
}

/** Fills the parameters into the contract's path. */
export function fillPath({ path }: Contract, params: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
