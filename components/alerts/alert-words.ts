import type { AlertSettings } from '@/lib/contract/alerts';
import { formatCount, formatNumber } from '@/lib/format-number';

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Describes each alert setting in one sentence. */
export function describeAlertSettings(settings: AlertSettings): { name: string; words: string; enabled: boolean }[] {
  const { quota_threshold: threshold, quota_forecast: forecast, refusals_burst: burst } = settings;
  const { exception_ending: ending, bypass_share: bypass, store_down: down, clock_skew: skew } = settings;
  const percents = alternatives.format(threshold.percent.map((percent) => `${percent}%`));
  return [
    { name: 'threshold', words: `A key has used ${percents} of its quota`, enabled: threshold.enabled },
    {
      name: 'forecast',
      words: `A quota runs out within ${formatCount(forecast.days, 'day')} at its pace`,
      enabled: forecast.enabled,
    },
    {
      name: 'burst',
      words: `One caller is refused ${formatNumber(burst.refusals)} times within ${formatCount(burst.minutes, 'minute')}`,
      enabled: burst.enabled,
    },
    {
      name: 'ending',
      words: `An allowlist entry, an override or a grant ends within ${formatCount(ending.hours, 'hour')}`,
      enabled: ending.enabled,
    },
    {
      name: 'bypass',
      words: `${bypass.percent}% of at least ${formatNumber(bypass.requests)} requests bypass the limits within ${formatCount(bypass.minutes, 'minute')}`,
      enabled: bypass.enabled,
    },
    {
      name: 'down',
      words: `The database or the counter store is down for ${formatCount(down.seconds, 'second')}, or the counter store fails intermittently`,
      enabled: down.enabled,
    },
    {
      name: 'skew',
      words: `The clock of the counter store is off by more than ${formatCount(skew.seconds, 'second')}`,
      enabled: skew.enabled,
    },
  ];
}
