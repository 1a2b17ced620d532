import { countOf } from '@/components/format/number';
import type { Forecast } from '@/lib/contract/statistics';

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** When a key's quota runs out at its pace, and how sure that is, in a sentence. */
export function forecastWords(forecast: Forecast): string {
  if (forecast.exhausted)
    return forecast.overage_allowed ? 'Used up; overage is served.' : 'Used up; requests are refused.';
  if (forecast.per_day === 0) return 'No use in the last days, so no forecast.';
  const basis = forecast.interval_known ? '' : ` ${basisWords(forecast.days_observed)}, so a guess.`;
  if (forecast.runs_out_at === null) return `Lasts until it resets at this pace.${basis}`;
  const middle = DAY.format(Date.parse(forecast.runs_out_at));
  if (!forecast.interval_known || forecast.earliest === null) return `Runs out about ${middle}.${basis}`;
  const first = DAY.format(Date.parse(forecast.earliest));
  if (forecast.latest === null)
    return `Runs out about ${middle}; four times in five not before ${first}, or not before it resets.`;
  const last = DAY.format(Date.parse(forecast.latest));
  if (first === last) return `Runs out about ${middle}; four times in five on that very day.`;
  return `Runs out about ${middle}; four times in five between ${first} and ${last}.`;
}

function basisWords(days: number): string {
  return days === 0 ? 'Only today is known' : `Only ${countOf(days, 'day')} of use`;
}
