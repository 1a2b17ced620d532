import { createElement } from 'react';
import { describe, expect, it } from 'vitest';
import { computeRefetchInterval, OlderDeliveries } from '@/components/alerts/older-deliveries';
import { QuotaWatch } from '@/components/statistics/quota-watch';
import { MAX_PAGE } from '@/lib/contract/fields/list';
import { type Forecast, MOST_FORECASTS } from '@/lib/contract/forecasts';
import { renderComponent } from '../../fixtures/render-component';

describe('deliveries of a webhook', () => {
  const render = (limit: number) =>
    renderComponent(createElement(OlderDeliveries, { shown: limit, limit, isPending: false, onMore: () => {} }));

  it('offers older ones, and at the largest page says where they are', () => {
    expect(render(50)).toMatch(/The newest 50<.*Load older/);
    expect(render(MAX_PAGE)).toMatch(/The newest 1,000<.*The API has older ones/);
    expect(render(MAX_PAGE)).not.toContain('Load older');
  });

  it('reads no more deliveries a second the more are shown', () => {
    expect([50, 100, MAX_PAGE].map((limit) => limit / computeRefetchInterval(limit))).toEqual([0.01, 0.01, 0.01]);
  });
});

describe('keys that are near the end of their quota', () => {
  const render = (count: number) => {
    const value = Array.from(
      { length: count },
      (_, index): Forecast => ({
        ...{ api_key_id: `key ${index}`, name: 'Reports', tier: 'free', usage: 9, limit: 10, remaining: 1 },
        ...{ used_percent: 90, overage_allowed: false, resets_at: '2026-12-01T00:00:00.000Z', per_day: 0 },
        ...{ days_observed: 0, runs_out_at: null, earliest: null, latest: null, interval_known: false },
        ...{ exhausted: false, ends_with_grant: false },
      }),
    );
    return renderComponent(createElement(QuotaWatch), [[['forecast'], { value }]]);
  };

  it('are counted, or at least those that the answer has', () => {
    expect(render(20)).toMatch(/>12 more</);
    expect(render(MOST_FORECASTS)).toMatch(/>At least 992 more</);
  });
});
