import { operation } from '@/lib/operation/operation';

/** What Prometheus scrapes. */
export const readMetrics = operation({
  id: 'readMetrics',
  method: 'GET',
  path: '/metrics',
  tag: 'Health',
  summary: 'Read the metrics of this process',
  description:
    'Prometheus text format. Needs an admin token of any role, because a proxy on the same host makes every caller look local.',
  access: 'any-token',
  response: { status: 200, description: 'The metrics.', mediaTypes: ['text/plain'] },
  run: async (context) => {
    const { statistics, breaker, metrics } = context.services;
    const { registry } = metrics;
    metrics.watch({
      decisions: () => statistics.totals(),
      skipped: () => statistics.skipped,
      statisticsFailures: () => statistics.failures,
      breaker: () => breaker.state,
    });
    return new Response(await registry.metrics(), {
      headers: {
        'Content-Type': registry.contentType,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
      },
    });
  },
});
