import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { BulkHistogram } from '@/lib/statistics/bulk-histogram';

const BOUNDS = [0.00005, 0.125, 1, 2.5];

it('writes what prom-client writes of the same values, one by one', async () => {
  // Eighths, whose sums are exact in any order.
  const observed = fc.array(fc.tuple(fc.nat(24), fc.nat(5)), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(observed, async (values) => {
      const registry = new Registry();
      const judge = new Histogram({ name: 'a_seconds', help: 'Time.', buckets: BOUNDS, registers: [registry] });
      const own = new BulkHistogram('a_seconds', 'Time.', BOUNDS);
      for (const [eighths, times] of values) {
        own.observe(eighths / 8, times);
        for (let i = 0; i < times; i += 1) judge.observe(eighths / 8);
      }
      expect(own.format()).toBe(await registry.metrics());
    }),
  );
});

it('writes them by the label as prom-client does', async () => {
  const observed = fc.array(fc.tuple(fc.nat(24), fc.constantFrom('decision', 'admin', 'probe')), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(observed, async (values) => {
      const registry = new Registry();
      const settings = { name: 'a_seconds', help: 'Time.', buckets: BOUNDS, registers: [registry] };
      const judge = new Histogram({ ...settings, labelNames: ['route'] });
      const own = new BulkHistogram('a_seconds', 'Time.', BOUNDS, 'route');
      for (const [eighths, route] of values) {
        own.observe(eighths / 8, 1, route);
        judge.observe({ route }, eighths / 8);
      }
      expect(own.format()).toBe(await registry.metrics());
    }),
  );
});
