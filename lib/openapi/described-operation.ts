import type { z } from 'zod';
import type { Access } from '@/lib/auth/actor';
import type { ErrorCode } from '@/lib/http/api-error';
import type { Method } from '@/lib/operation/operation';

/** How a caller of the document's operations shows who they are. */
export type DescribedAccess = Access | 'api-key' | 'lab-token' | 'lab-client' | 'cron';

/** An answer that is neither the success nor an error of ours. */
export interface DescribedResponse {
  description: string;
  schema?: z.ZodType;
  /** `application/json` when absent and there is a schema; of other types the schema is a string. */
  mediaTypes?: readonly string[];
  headers?: Readonly<Record<string, string>>;
}

/** What the document says of an operation: an `Operation` of `lib/http`, or the same words about one that is none. */
export interface DescribedOperation {
  id: string;
  method: Method;
  /** With `{parameter}`. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: DescribedAccess;
  params?: z.ZodType;
  query?: z.ZodType;
  headers?: z.ZodType;
  body?: {
    schema: z.ZodType;
    required: boolean;
    mediaTypes?: readonly string[];
    /** Most bytes; 64 KiB when absent. */
    limit?: number;
  };
  response: {
    status: 200 | 201 | 204;
    description: string;
    schema?: z.ZodType;
    headers?: Record<string, string>;
    mediaTypes?: readonly string[];
  };
  /** Error codes beside the ones that the machinery around the operation can answer. */
  errors?: readonly ErrorCode[];
  /** The handler behind `lib/operation/endpoint.ts`, where the operation is one of its. */
  run?: unknown;
  idempotent?: boolean;
  /** `If-Match` is honoured. */
  conditional?: boolean;
  /** Answers that are no error of ours, by status. */
  otherResponses?: Readonly<Record<string, DescribedResponse>>;
}
