import { readMetrics as contract } from '@/lib/contract/service';
import { implement } from '@/lib/operation/operation';
import { metrics } from '@/lib/statistics/metrics';

/** What Prometheus scrapes. */
export const readMetrics = implement(contract, async (context) => {
  const { statistics, breaker } = context.services;
  const { registry } = metrics();
  metrics().watch({
    decisions: () => statistics.totals(),
    skipped: () => statistics.skipped,
    statisticsFailures: () => statistics.failures,
    breaker: () => breaker.state,
  });
  return new Response(await registry.metrics(), {
    headers: { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
  });
});
