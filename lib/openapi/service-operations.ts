import { z } from 'zod';
import type { DescribedOperation } from '@/lib/openapi/described-operation';

/** The document, which cannot hold the operation that serves it (`lib/openapi/read-openapi.ts`). */
export const READ_OPENAPI = {
  id: 'readOpenApi',
  method: 'GET',
  path: '/v1/openapi.json',
  tag: 'Service',
  summary: 'This document',
  access: 'public',
  response: {
    status: 200,
    description: 'OpenAPI 3.1.',
    schema: z.object({ openapi: z.string() }).loose(),
    headers: { ETag: 'Changes with the document.' },
  },
} as const satisfies DescribedOperation;

/** Health, and the document itself. They answer without, or before, the services of the process. */
export const SERVICE_OPERATIONS: readonly DescribedOperation[] = [
  {
    ...READ_OPENAPI,
    otherResponses: { '304': { description: 'Not changed since the given `If-None-Match`.' } },
    errors: ['invalid_request', 'service_unavailable'],
  },
  {
    id: 'readHealth',
    method: 'GET',
    path: '/healthz',
    tag: 'Service',
    summary: 'Whether the process answers',
    access: 'public',
    response: { status: 200, description: 'It does.', schema: z.object({ status: z.literal('ok') }) },
  },
  {
    id: 'readReadiness',
    method: 'GET',
    path: '/readyz',
    tag: 'Service',
    summary: 'Whether requests may be sent here',
    description:
      '503 while the database, the migrations or the counter store are not there, with the failing parts in `details`; and first of all when the process is told to stop.',
    access: 'public',
    response: {
      status: 200,
      description: 'They may.',
      schema: z.object({ status: z.literal('ready'), parts: z.record(z.string(), z.object({ ok: z.literal(true) })) }),
    },
    errors: ['service_unavailable'],
  },
];
