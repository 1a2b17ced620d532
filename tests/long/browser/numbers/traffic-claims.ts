import { groupAlerts } from '@/components/alerts/group-alerts';
import { describeLimitOutcome, namePlace } from '@/components/candidates/place-names';
import { countRefusals, OUTCOME_SERIES, REFUSED_SERIES } from '@/components/chart/series';
import { formatShare } from '@/components/format/number';
import { describeForecast } from '@/components/keys/forecast-words';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import type { Alert } from '@/lib/contract/alerts';
import type { Caller } from '@/lib/contract/callers';
import type { CandidateLimit } from '@/lib/contract/candidates';
import type { CountedDecisions, LoggedDecision } from '@/lib/contract/decisions';
import type { Forecast } from '@/lib/contract/forecasts';
import type { OutcomeCounts, Statistics } from '@/lib/contract/statistics';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import type { Answers } from './answers';
import { type Claim, number, startsWith } from './claims';

const sumOutcomes = ({ allowed, refused, bypassed, degraded, observed }: OutcomeCounts) =>
  allowed + refused + bypassed + degraded + observed;

/** Lists the entries of a legend: names and counts of the series that occur, and the unit. */
function listLegend(series: typeof OUTCOME_SERIES, counts: Readonly<Record<string, unknown>>): (string | RegExp)[] {
  const entries = series.flatMap(({ key, name }) => {
    const count = Number(counts[key] ?? 0);
    return count > 0 ? [`${name} ${number(count)}`] : [];
  });
  return [...entries, /^Per (minute|30 min|day|\d+ h), times in UTC$/];
}

const HEALTH =
  /^(embedded, \d+\.\d ms|Minute from \d\d:\d\d|[\d,]+ allowed, [\d,]+ refused|Database|Counter store|Breaker|closed.*)$/;

export function claimOverview(answers: Answers): Claim[] {
  const { totals, top_refused } = answers.find<Statistics>('/v1/admin/statistics');
  const forecasts = answers.find<Forecast[]>('/v1/admin/statistics/forecast');
  const groups = groupAlerts(answers.find<Alert[]>('/v1/admin/alerts/history'));
  const candidates = answers.find<CandidateLimit[]>('/v1/admin/candidates');
  const all = sumOutcomes(totals);
  const charts = [
    ...listLegend([...OUTCOME_SERIES.slice(0, 4), REFUSED_SERIES], totals),
    ...listLegend(OUTCOME_SERIES.slice(4), countRefusals(totals)),
  ];
  return [
    { in: '[aria-label="Health"] p', say: Array.from({ length: 8 }, () => HEALTH) },
    {
      in: 'span',
      like: /^[\d,]+ total/,
      say: [`${number(all)} total, ${formatShare(totals.refused / all)} refused`],
    },
    { in: 'figcaption > *', say: charts },
    {
      in: 'li',
      like: /^\w+ refusals/,
      say: ENDPOINT_CLASSES.map((name) => {
        const counts = totals.classes[name];
        const decided = sumOutcomes(counts);
        const share = counts.refused > 0 ? ` ${formatShare(counts.refused / decided)} of ${number(decided)}` : '';
        return `${CLASS_NAMES[name]} refusals ${number(counts.refused)}${share}`;
      }),
    },
    {
      in: 'a[href="/alerts"]',
      say: [`${groups.length} alert${groups.length === 1 ? '' : 's'} ${groups[0]?.alerts[0].summary} Open`],
    },
    { in: 'a[title="Show these refusals"]', say: top_refused.slice(0, 8).map(({ refused }) => number(refused)) },
    {
      in: 'li',
      like: /(Would have|No requests yet)/,
      say: candidates.map((candidate) => `${namePlace(candidate.place)} ${describeLimitOutcome(candidate)}`),
    },
    { in: 'h2', like: /^Quotas above 80%$/ },
    {
      in: 'li:has([aria-label^="Quota of"])',
      say: forecasts.map((forecast) => {
        const { name, usage, limit, used_percent: percent } = forecast;
        const { source } = startsWith(`${name} ${number(usage)} of ${number(limit)} ${describeForecast(forecast)}`);
        const marks = [80, 100].filter((threshold) => percent >= threshold).map((each) => ` ${each}% reached [^%]+`);
        return new RegExp(`${source}${marks.join('')}$`);
      }),
    },
    { in: 'p', like: /^\d first steps? left\. Show (it|them)$/ },
  ];
}

/** The total and the legend, which count the same decisions as the rows. */
function claimCounts(answers: Answers): Claim[] {
  const { totals } = answers.find<CountedDecisions>('/v1/admin/decisions/counts');
  const { total, refused } = totals;
  const refusals = refused > 0 && refused < total ? `, ${number(refused)} refused` : '';
  return [
    { in: 'p', like: /^[\d,]+ decisions?\b/, say: [`${number(total)} decision${total === 1 ? '' : 's'}${refusals}`] },
    { in: 'figcaption > *', say: listLegend(OUTCOME_SERIES, { ...totals, ...countRefusals(totals) }) },
  ];
}

export function claimDecisions(answers: Answers): Claim[] {
  const rows = answers.find<LoggedDecision[]>('/v1/admin/decisions');
  const { log } = answers.find<CountedDecisions>('/v1/admin/decisions/counts');
  const shown = number(rows.length);
  return [
    ...claimCounts(answers),
    { in: 'td span', like: /^× /, say: rows.flatMap(({ count }) => (count > 1 ? [`× ${number(count)}`] : [])) },
    {
      in: 'p[aria-live]',
      like: /total$|^The newest/,
      say: [
        log.rows > rows.length ? new RegExp(`^The newest ${shown}( of ${number(log.rows)}.*)?$`) : `${shown} total`,
      ],
    },
  ];
}

export function claimCallers(answers: Answers): Claim[] {
  const callers = answers.find<Caller[]>('/v1/admin/decisions/callers');
  return [
    ...claimCounts(answers),
    { in: 'tbody td', like: /^[\d,]+$/, say: callers.map(({ count }) => number(count)) },
    {
      in: 'tbody td',
      like: /^[A-Z][a-z ]+ [\d,]+(, |$)/,
      say: callers.map(({ classes, count: total }) => {
        const words = classes.map(({ class: name, count }) => `${CLASS_NAMES[name]} ${number(count)}`);
        const rest = classes.reduce((left, { count }) => left - count, total);
        return [...words, ...(rest > 0 ? [`Named limits ${number(rest)}`] : [])].join(', ');
      }),
    },
    { in: 'p[aria-live]', like: /total$|callers?$/, say: [new RegExp(`^${callers.length} (total|callers?)$`)] },
  ];
}

export function claimAlerts(answers: Answers): Claim[] {
  const groups = groupAlerts(answers.find<Alert[]>('/v1/admin/alerts/history'));
  const percents = groups.flatMap(
    ({ alerts }) => alerts.find(({ event }) => event === 'quota.threshold')?.details.threshold_percent ?? [],
  );
  return [
    { in: 'ul[aria-label="Open"] > li', say: groups.map(() => /./) },
    { in: 'ul[aria-label="Open"] li span', like: /^Quota \d+%$/, say: percents.map((percent) => `Quota ${percent}%`) },
  ];
}
