import type { z } from 'zod';
import type { Access, Method } from '@/lib/http/operation';

/** How a caller of the document's operations shows who they are. */
export type DescribedAccess = Access | 'api-key' | 'lab-token' | 'lab-client' | 'cron';

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
  body?: { schema: z.ZodType; required: boolean; mediaTypes?: readonly string[] };
  response: {
    status: 200 | 201 | 204;
    description: string;
    schema?: z.ZodType;
    headers?: Record<string, string>;
    mediaTypes?: readonly string[];
  };
  /** Error codes beside the ones that every operation can answer. */
  errors?: readonly string[];
  idempotent?: boolean;
  /** Answers that are no error of ours: status and what it means. */
  otherResponses?: Readonly<Record<string, { description: string; schema?: z.ZodType; mediaType?: string }>>;
}
