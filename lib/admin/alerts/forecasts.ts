import type { NewAlert } from '@/lib/admin/alerts/events';
import { nameQuotaMonth, nameUsageMonth } from '@/lib/admin/alerts/quota-thresholds';
import { reconcile } from '@/lib/admin/alerts/reconcile';
import { SWITCHED_OFF } from '@/lib/admin/alerts/switched-off';
import { createAlertWriter } from '@/lib/admin/alerts/writer';
import { computeQuotaForecasts } from '@/lib/admin/keys/forecast-quotas';
import type { Forecast } from '@/lib/contract/forecasts';
import type { Services } from '@/lib/operation/services';
import { DAY, type Millis } from '@/lib/units';

const EVENT = 'quota.forecast';
/** Fewest whole days that make a reliable pace. */
const FEWEST_DAYS = 2;

/** Replaces a key that no longer exists: it has calendar months. */
const NO_KEY = { id: '', monthStartsOn: 1, monthShift: 0 };

/**
 * Alerts once per key and month if the quota runs out within the configured days at the current pace.
 * Checks the 1,000 keys that have used most of their quota. Skips keys with overage.
 */
export async function watchForecasts(services: Services): Promise<void> {
  const { settings, writer } = await createAlertWriter(services);
  const { enabled, days } = settings.quota_forecast;
  const { now } = writer;
  const forecasts = enabled ? await computeQuotaForecasts(services, now, { threshold: 0 }) : [];
  const until = now + days * DAY;
  const { keysById } = services.rules.current;
  const findKey = (id: string) => keysById.get(id) ?? NO_KEY;
  const monthsById = new Map(
    forecasts.map(({ api_key_id: id, resets_at }) => [String(id), nameUsageMonth(findKey(id), resets_at)]),
  );
  const nameMonthByKey = (id: string) => monthsById.get(id) ?? nameQuotaMonth(findKey(id), now);
  await reconcile(writer, {
    event: EVENT,
    alerts: forecasts.flatMap(
      (forecast) => buildForecastAlert(forecast, nameMonthByKey(forecast.api_key_id), until) ?? [],
    ),
    why: ({ subject, period }) => {
      if (!enabled) return SWITCHED_OFF;
      return period === nameMonthByKey(subject.replace('api_key:', ''))
        ? 'At its pace of now it does not run out so soon.'
        : 'A new month has begun.';
    },
  });
}

function buildForecastAlert(forecast: Forecast, month: string, until: Millis): NewAlert | null {
  const { api_key_id: id, name, runs_out_at: runsOutAt, days_observed: observed } = forecast;
  const isSoon = runsOutAt !== null && Date.parse(runsOutAt) <= until;
  // The alert of an exhausted quota stays open; its threshold reports the exhaustion.
  if (!(isSoon || forecast.exhausted) || forecast.overage_allowed || observed < FEWEST_DAYS) return null;
  return {
    event: EVENT,
    subject: `api_key:${id}`,
    period: month,
    data: {
      summary: forecast.exhausted
        ? `The quota of the key ${name} has run out.`
        : `The quota of the key ${name} runs out on ${(runsOutAt ?? '').slice(0, 10)} at the pace of its last days.`,
      link: `/keys/${id}`,
      ...{ api_key_id: id, api_key_name: name, runs_out_at: runsOutAt },
      ...{ usage: forecast.usage, limit: forecast.limit, per_day: forecast.per_day },
    },
  };
}
