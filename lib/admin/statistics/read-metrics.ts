import { readMetrics as contract } from '@/lib/contract/service';
import { implement } from '@/lib/operation/operation';

/** What Prometheus scrapes. */
export const readMetrics = implement(contract, async ({ services }) => {
  const { statistics, breaker, metrics } = services;
  const { skipped, failures: statisticsFailures } = statistics;
  const decisions = statistics.totals();
  const text = await metrics.scrape({ decisions, skipped, statisticsFailures, breaker: breaker.state });
  return new Response(text, {
    headers: { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' },
  });
});
