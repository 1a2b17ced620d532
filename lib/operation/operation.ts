import type { z } from 'zod';
import type { Access, Actor } from '@/lib/auth/actor';
import type { ErrorCode } from '@/lib/http/api-error';
import type { Once } from '@/lib/operation/once';
import type { Services } from '@/lib/operation/services';

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

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** An answer with headers or another status than the operation's usual one. */
export class Reply<T> {
  constructor(
    readonly value: T,
    readonly options: { headers?: Record<string, string>; status?: number } = {},
  ) {}
}

export interface OperationInput<P, Q, B> {
  params: P;
  query: Q;
  body: B;
}

/**
 * One thing that can be asked of Sluice. The route handler, the OpenAPI document, the dashboard's client and the tests
 * all read this one description.
 */
export interface Operation<P = unknown, Q = unknown, B = unknown, R = unknown> {
  /** lowerCamelCase, OpenAPI's operationId. */
  id: string;
  method: Method;
  /** With `{parameter}` as in OpenAPI. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  params?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  body?: { schema: z.ZodType<B>; required: boolean; mediaTypes?: readonly string[] };
  response: {
    status: 200 | 201 | 204;
    description: string;
    schema?: z.ZodType;
    headers?: Record<string, string>;
    mediaTypes?: readonly string[];
  };
  /** What `run` itself can refuse with; what the machinery around it can is known (`lib/openapi/error-responses.ts`). */
  errors?: readonly ErrorCode[];
  /** A POST whose `Idempotency-Key` is honoured: `run` answers with the very result of its one `change`. */
  idempotent?: boolean;
  /** `If-Match` is honoured: `run` calls `requireMatch`. */
  conditional?: boolean;
  run(context: Context, input: OperationInput<P, Q, B>): Promise<R | Reply<R> | Response>;
}

/** Gives an operation its types from its schemas. */
export function operation<P, Q, B, R>(definition: Operation<P, Q, B, R>): Operation<P, Q, B, R> {
  return definition;
}
