import { useCall } from '@/components/api/use-call';
import { KeyLink } from '@/components/identifier/key-link';
import { describeForecast } from '@/components/keys/forecast-words';
import { computeMonthStart, ThresholdMarks, useThresholdEvents } from '@/components/keys/thresholds';
import { QueryCard } from '@/components/list/query-card';
import { useHealth } from '@/components/statistics/health-strip';
import { Link } from '@/components/ui/link';
import { MeterBar } from '@/components/ui/meter-bar';
import { forecastQuotas, MOST_FORECASTS } from '@/lib/contract/forecasts';
import { formatNumber } from '@/lib/format-number';

/** Keys that are shown. */
const SHOWN = 8;

const useForecasts = () =>
  useCall(['forecast'], forecastQuotas, { query: { threshold: '80' } }, { refetchInterval: 60_000 });

/** Reads what `QuotaWatch` shows, for pages that show it later. */
export function useQuotas(): void {
  useForecasts();
  useThresholdEvents();
}

/** Lists keys above 80% of their quota, each with a forecast. */
export function QuotaWatch() {
  const forecasts = useForecasts();
  const thresholds = useThresholdEvents();
  const keys = useHealth().data?.value.api_keys;
  return (
    <QueryCard
      title="Quotas above 80%"
      more={{ href: '/keys', label: 'All keys' }}
      query={forecasts}
      empty={({ value }) =>
        value.length > 0 ? null : keys === 0 ? 'There are no API keys yet.' : 'Every key is below 80%.'
      }
    >
      {({ value }) => (
        <ul className="flex flex-col gap-3.5">
          {value.slice(0, SHOWN).map((forecast) => (
            <li key={forecast.api_key_id} className="flex flex-col gap-1.5">
              <div className="flex items-baseline justify-between gap-3 text-sm">
                <KeyLink id={forecast.api_key_id} className="min-w-0 truncate font-medium">
                  {forecast.name}
                </KeyLink>
                <span className="shrink-0 text-xs text-muted-foreground tabular-nums">
                  {formatNumber(forecast.usage)} of {formatNumber(forecast.limit)}
                </span>
              </div>
              <MeterBar label={`Quota of ${forecast.name}`} value={forecast.usage} max={forecast.limit} marked />
              <p className="text-xs text-muted-foreground">{describeForecast(forecast)}</p>
              <ThresholdMarks
                events={thresholds.filter(
                  ({ apiKeyId, at, percent }) =>
                    apiKeyId === forecast.api_key_id &&
                    Date.parse(at) >= computeMonthStart(forecast.resets_at) &&
                    // A grant may have taken the share below a threshold again.
                    forecast.usage * 100 >= percent * forecast.limit,
                )}
              />
            </li>
          ))}
          {value.length > SHOWN ? (
            <li>
              <Link href="/keys?sort=-usage" className="text-sm text-primary hover:underline">
                {value.length < MOST_FORECASTS ? '' : 'At least '}
                {formatNumber(value.length - SHOWN)} more
              </Link>
            </li>
          ) : null}
        </ul>
      )}
    </QueryCard>
  );
}
