import { z } from 'zod';
import { input, ok, resource } from '@/lib/contract/resource';

export const runHousekeeping = resource('/v1/cron/housekeeping', { tag: 'Operations' }).get('runHousekeeping', 'cron', {
  command: 'service housekeeping',
  summary: 'Run the periodic work',
  description:
    'For the scheduler of a serverless platform: checks for alerts, sends due webhook deliveries, and deletes expired rows. Needs the bearer token in `CRON_SECRET`; 404 if that is not set.',
  response: ok('The number of deleted rows.', input('Housekeeping', { swept_counters: z.int().min(0) })),
  errors: ['not_found'],
});

export const readMetrics = resource('/metrics', { tag: 'Health' }).get('readMetrics', 'any-token', {
  command: 'service metrics',
  summary: 'Read the metrics of this process',
  description:
    'Prometheus text format. Needs an admin token of any role, because a proxy on the same host makes every caller look local.',
  response: { status: 200, description: 'The metrics.', mediaTypes: ['text/plain'] },
});

export const readOpenApi = resource('/v1/openapi.json', { tag: 'Service' }).get('readOpenApi', 'public', {
  command: 'service openapi',
  summary: 'This document',
  response: ok('OpenAPI 3.1.', z.object({ openapi: z.string() }).loose(), { ETag: 'Changes with the document.' }),
  otherResponses: { '304': { description: 'Unchanged since the given `If-None-Match`.' } },
});

const health = { tag: 'Service', servedBy: 'health' } as const;

/** Parts of the health report. `database_file` is true if the open file is still the one at its path. */
export const HEALTH_PARTS = ['database', 'database_file', 'migrations', 'counter_store'] as const;

export const readHealth = resource('/healthz', health).get('readHealth', 'public', {
  command: 'service health',
  summary: 'Liveness',
  response: ok('The process is alive.', z.object({ status: z.literal('ok') })),
});

export const readReadiness = resource('/readyz', health).get('readReadiness', 'public', {
  command: 'service readiness',
  summary: 'Readiness',
  description:
    'For load balancers: 200 as long as this process makes decisions; `degraded`, with the part that is down, if it makes some without it. 503 with the reason in `details` if the process is stopping (from the start of the stop), has not started, or its database file was deleted or replaced. For alerts use `?strict=true`, which is also 503 if any part is down.',
  query: z.object({ strict: z.enum(['true', 'false']).optional().describe('`true`: 503 if any part is down.') }),
  response: ok(
    'Ready.',
    z.object({
      status: z.enum(['ready', 'degraded']),
      parts: z
        .partialRecord(z.enum(HEALTH_PARTS), z.object({ ok: z.boolean(), cluster: z.literal(true).optional() }))
        .describe(
          'Every part, and whether it works. `counter_store`: counters can be written; `cluster`: in a Redis Cluster.',
        ),
    }),
  ),
  errors: ['service_unavailable'],
});
