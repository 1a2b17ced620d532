import { z } from 'zod';
import { HEALTH_PARTS } from '@/lib/admin/service/check-health';
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
      'For load balancers: 200 as long as decisions are made here, `degraded` and with the part that is down when some of them are made without it. 503, with the reason in `details`: the process was told to stop (from the first moment on), has not started, or its database file was deleted or replaced. For alerts: `?strict=true`, which is also 503 when any part is down.',
    access: 'public',
    query: z.object({
      strict: z.enum(['true', 'false']).optional().describe('`true`: 503 when any part is down.'),
    }),
    response: {
      status: 200,
      description: 'They may.',
      schema: z.object({
        status: z.enum(['ready', 'degraded']),
        parts: z
          .partialRecord(z.enum(HEALTH_PARTS), z.object({ ok: z.boolean() }))
          .describe('Every part, and whether it works. `counter_store`: counters can be written.'),
      }),
    },
    errors: ['service_unavailable'],
  },
];
