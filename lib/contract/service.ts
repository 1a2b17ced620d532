import { z } from 'zod';
import type { Contract } from '@/lib/contract/operation';

export const runHousekeeping = {
  id: 'runHousekeeping',
  method: 'GET',
  path: '/v1/cron/housekeeping',
  tag: 'Operations',
  summary: 'Delete what has ended',
  description:
    'For the cron of a serverless platform. Needs the bearer token in CRON_SECRET; 404 when that is not set.',
  access: 'cron',
  errors: ['unauthorized', 'not_found'],
  response: {
    status: 200,
    description: 'What was deleted.',
    schema: z.strictObject({ swept_counters: z.int().min(0) }).meta({ id: 'Housekeeping' }),
  },
} as const satisfies Contract;

export const readMetrics = {
  id: 'readMetrics',
  method: 'GET',
  path: '/metrics',
  tag: 'Health',
  summary: 'Read the metrics of this process',
  description:
    'Prometheus text format. Needs an admin token of any role, because a proxy on the same host makes every caller look local.',
  access: 'any-token',
  response: { status: 200, description: 'The metrics.', mediaTypes: ['text/plain'] },
} as const satisfies Contract;

export const readOpenApi = {
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
  otherResponses: { '304': { description: 'Not changed since the given `If-None-Match`.' } },
} as const satisfies Contract;

/** `database_file`: the open file is the one at its path. */
export const HEALTH_PARTS = ['database', 'database_file', 'migrations', 'counter_store'] as const;

export const readHealth = {
  id: 'readHealth',
  method: 'GET',
  path: '/healthz',
  tag: 'Service',
  summary: 'Whether the process answers',
  access: 'public',
  servedBy: 'health',
  response: { status: 200, description: 'It does.', schema: z.object({ status: z.literal('ok') }) },
} as const satisfies Contract;

export const readReadiness = {
  id: 'readReadiness',
  method: 'GET',
  path: '/readyz',
  tag: 'Service',
  summary: 'Whether requests may be sent here',
  description:
    'For load balancers: 200 as long as decisions are made here, `degraded` and with the part that is down when some of them are made without it. 503, with the reason in `details`: the process was told to stop (from the first moment on), has not started, or its database file was deleted or replaced. For alerts: `?strict=true`, which is also 503 when any part is down.',
  access: 'public',
  servedBy: 'health',
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
} as const satisfies Contract;
