import { formatWindow } from '@/components/format/duration';
import { formatShare } from '@/components/format/number';
import { describeForecast } from '@/components/keys/forecast-words';
import type { DecisionExplanation } from '@/lib/contract/explain';
import type { Forecast } from '@/lib/contract/forecasts';
import type { KeyOrigin } from '@/lib/contract/key-statistics';
import type { ApiKeyWithUsage } from '@/lib/contract/keys';
import type { LimitInUse } from '@/lib/contract/limit-use';
import type { Answers } from './answers';
import { type Claim, number, startsWith, sum } from './claims';
import { claimInstruments } from './limit-claims';
import { claimChanges } from './list-claims';

const isNear = ({ usage, limit }: ApiKeyWithUsage) => (usage ?? 0) >= 0.8 * limit && (usage ?? 0) < limit;

/** Lists the thresholds of the quota that a key has reached, in percent. */
export const listReached = ({ usage, limit }: ApiKeyWithUsage): number[] =>
  [80, 100].filter((percent) => (usage ?? 0) * 100 >= percent * limit);

export function claimKeys(answers: Answers): Claim[] {
  const keys = answers.find<ApiKeyWithUsage[]>('/v1/admin/api-keys');
  const uses = keys.map(({ usage, limit }) => `${number(usage ?? 0)} of ${number(limit)}`);
  return [
    { in: 'tbody td:has([aria-label^="Quota of"])', say: uses },
    {
      in: 'tbody td',
      like: /^[\d,]+$/,
      say: keys.map(({ usage, limit }) => number(Math.max(0, limit - (usage ?? 0)))),
    },
    { in: 'td span', like: /^expires \d+ [A-Z][a-z]{2}$/ },
    { in: 'td span', like: /^above 80%$/, say: keys.filter(isNear).map(() => 'above 80%') },
    { in: 'p[aria-live]', say: [`${keys.length} total`] },
  ];
}

/** The month of a key: what is used, what remains, and how long that lasts. */
function claimMonth(key: ApiKeyWithUsage, forecast: Forecast | undefined): Claim[] {
  const usage = key.usage ?? 0;
  const used = `${number(usage)} of ${number(key.limit)} requests, ${formatShare(usage / key.limit)}`;
  return [
    { in: 'h1', like: startsWith(key.name), say: [isNear(key) ? /above 80%$/ : /./] },
    {
      in: 'div',
      like: /^[\d,]+ of .* remaining$/,
      say: [`${used} ${number(Math.max(0, key.limit - usage))} remaining`],
    },
    {
      in: 'span span',
      like: /^\d+% reached /,
      say: listReached(key).map((percent) => startsWith(`${percent}% reached `)),
    },
    { in: 'span', like: /^resets 1 [A-Z][a-z]{2} \(UTC\)$/, say: [/./] },
    ...(forecast === undefined
      ? []
      : [
          { in: 'p', like: /^(Runs out|Lasts|Used up|No recent)/, say: [describeForecast(forecast)] },
          { in: 'dd', like: /a day$/, say: [`${number(Math.round(forecast.per_day))} a day`] },
          {
            in: 'p',
            like: /^The pace/,
            say: [startsWith(`The pace is the mean of ${forecast.days_observed} full day`)],
          },
        ]),
  ];
}

export function claimKey(answers: Answers, id: string): Claim[] {
  const key = answers.find<ApiKeyWithUsage>(`/v1/admin/api-keys/${id}`);
  const statistics = `/v1/admin/statistics/keys/${id}`;
  const [forecast] = answers.find<Forecast[]>('/v1/admin/statistics/forecast', `api_key=${id}`);
  const { days } = answers.find<{ days: { allowed: number; refused: number }[] }>(statistics);
  const { addresses } = answers.find<{ addresses: KeyOrigin[] }>(`${statistics}/origins`);
  const grants = key.granted > 0 ? answers.find<{ requests: number }[]>('/v1/admin/grants') : [];
  if (sum(grants.map(({ requests }) => requests)) !== key.granted) throw new Error('The grants differ from their sum.');
  const { subjects } = answers.find<DecisionExplanation>('/v1/admin/rate-limit/explain');
  const { limits } = answers.find<{ limits: LimitInUse[] }>('/v1/admin/statistics/limits', `api_key=${id}`);
  const uses = limits.filter(({ place }) => !place.startsWith('limits.')).map((use) => ({ use, unit: 'units' }));
  const outcomes = {
    Allowed: sum(days.map(({ allowed }) => allowed)),
    Refused: sum(days.map(({ refused }) => refused)),
  };
  const describeRefused = (refused: number, prefix: string) =>
    refused > 0 ? `${prefix}${number(refused)} refused` : '';
  return [
    ...claimMonth(key, forecast),
    {
      in: 'div',
      like: /^\d+ of [\d,]+ in .*(user .*|this client)$/,
      say: subjects.map(
        ({ subject, used, limit, window_seconds, counted_as }) =>
          `${number(used ?? 0)} of ${number(limit)} in ${formatWindow(window_seconds)} ${subject === 'user' ? `user ${counted_as}` : 'this client'}`,
      ),
    },
    // The page of one key names no nearest callers.
    ...claimInstruments(uses.map(({ use, unit }) => ({ use: { ...use, nearest: [] }, unit }))),
    {
      in: 'span',
      like: /^Last day /,
      say: uses.flatMap(({ use: { last_day: day } }) =>
        day === null ? [] : [`Last day ${number(day.allowed)}${describeRefused(day.refused, ', ')}`],
      ),
    },
    {
      in: 'figcaption > *',
      say: [
        ...Object.entries(outcomes).flatMap(([name, count]) => (count > 0 ? [`${name} ${number(count)}`] : [])),
        'Per day, times in UTC',
      ],
    },
    { in: 'span', like: /^30 days, UTC$/ },
    {
      in: 'li:has(a) > div > span',
      like: /^[\d,]+( \+ [\d,]+ refused)?$/,
      say: addresses
        .slice(0, 6)
        .map(({ allowed, refused }) => `${number(allowed)} ${describeRefused(refused, '+ ')}`.trim()),
    },
    { in: 'p', like: /Fully reset in \d+ \w+\.$/ },
    { in: 'p', like: /in the last (30 days|24 hours)|of the last 24 hours/ },
    {
      in: '[aria-label="Grants"] li span',
      like: /^\+[\d,]+$/,
      say: grants.map(({ requests }) => `+${number(requests)}`),
    },
    { in: 'button', like: /^Show \d+ without use$/ },
    { in: 'dd', like: /^day \d+, 00:00 UTC$/, say: [`day ${key.month_starts_on}, 00:00 UTC`] },
    ...claimChanges(answers),
  ];
}
