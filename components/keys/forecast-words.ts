import type { Forecast } from '@/lib/contract/forecasts';
import { formatCount } from '@/lib/format-number';

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Describes in a sentence when a key's quota runs out at its current pace, and how uncertain that is. */
export function describeForecast(forecast: Forecast): string {
  if (forecast.exhausted)
    return forecast.overage_allowed ? 'Used up; overage is served.' : 'Used up; requests are refused.';
  if (forecast.per_day === 0) return 'No recent use, so no forecast.';
  const basis = forecast.interval_known ? '' : ` ${describeBasis(forecast.days_observed)}, so this is a guess.`;
  if (forecast.runs_out_at === null) return `Lasts until the reset at this pace.${basis}`;
  const middle = DAY.format(Date.parse(forecast.runs_out_at));
  if (forecast.ends_with_grant)
    return `Runs out on ${middle}, when a grant ends: by then more than the limit without it is used.${basis}`;
  if (!forecast.interval_known || forecast.earliest === null) return `Runs out about ${middle}.${basis}`;
  const first = DAY.format(Date.parse(forecast.earliest));
  if (forecast.latest === null)
    return `Runs out about ${middle}; 80% likely not before ${first}, or not before the reset.`;
  const last = DAY.format(Date.parse(forecast.latest));
  if (first === last) return `Runs out about ${middle}; 80% likely on that day.`;
  return `Runs out about ${middle}; 80% likely between ${first} and ${last}.`;
}

function describeBasis(days: number): string {
  return days === 0 ? 'Only today has data' : `Only ${formatCount(days, 'day')} of use`;
}
