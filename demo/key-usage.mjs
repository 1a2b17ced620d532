import { PATHS } from './cast.mjs';
import { around, findPart, pick, seeded } from './random.mjs';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
/** Demand is stored for two hours, and hours of origins for a day. */
const DEMAND_LASTS = 120 * MINUTE;
const LIMITS = { free: 1_000, starter: 10_000, business: 100_000, enterprise: 1_000_000 };
/** Requests a minute of a client, by type of its key. */
export const CLIENT_LIMITS = { public: 30, confidential: 100 };

const findMonth = (at) => new Date(at).getUTCFullYear() * 12 + new Date(at).getUTCMonth();
const findMonthStart = (now) => Date.UTC(new Date(now).getUTCFullYear(), new Date(now).getUTCMonth(), 1);
const isFull = (key) => key.used >= 1 && key.overage_allowed !== true;

/** Returns the first day of a key in the current month. */
const findBegin = (key, now) => Math.max(findMonthStart(now), now - (now % DAY) - Math.floor(key.days) * DAY);

/**
 * Returns when a key was last allowed: when its quota was used up, when its client fell silent, when it was revoked, or
 * now.
 */
export function findLastAllowed(key, now) {
  const begin = findBegin(key, now);
  if (isFull(key)) return Math.max(now - HOUR, begin + (now - begin) / 2);
  if (key.revoked) return now - 9 * DAY;
  return now - (key.quiet_hours ?? 0) * HOUR;
}

/** Returns addresses of the few machines that each client runs on, by key. */
export function inventMachines(random, keys) {
  const address = () => `192.0.2.${1 + Math.floor(random() * 254)}`;
  return new Map(keys.map(({ id }) => [id, Array.from({ length: 2 + Math.floor(random() * 4) }, address)]));
}

/**
 * Usage of each key: hours that add up to days, and days that add up to the month and to the share of the quota that the
 * cast names; its refusals, origins, and the demand of the last two hours.
 */
export function inventUsage(random, keys, { machines, refusals }, now) {
  const usage = { days: [], months: [], origins: [], lastUses: [], demand: [] };
  for (const key of keys) {
    const refused = refusals.filter((refusal) => refusal.key === key.id);
    const hours = inventHours(random, key, now);
    const months = new Map();
    for (let day = now - (now % DAY) - Math.floor(key.days) * DAY; day <= now; day += DAY) {
      const isOfDay = (at) => at >= day && at < day + DAY;
      let allowed = 0;
      for (const [hour, count] of hours) if (isOfDay(hour)) allowed += count;
      const refusedOnDay = refused.filter(({ at }) => isOfDay(at)).length;
      if (allowed + refusedOnDay > 0) usage.days.push([key.id, day, allowed, refusedOnDay]);
      months.set(findMonth(day), (months.get(findMonth(day)) ?? 0) + allowed);
    }
    for (const [month, hits] of months) if (hits > 0) usage.months.push([`quota|${key.id}|month`, month, hits, 0]);
    if (key.revoked) continue;
    usage.origins.push(
      ...inventOrigins(seeded(hours.size), { key, hours, machines: machines.get(key.id), refused }, now),
    );
    usage.demand.push(...listDemand(key, hours, refused, now));
    const last = Math.max(
      ...refused.map(({ at }) => at),
      findLastAllowed(key, now) - Math.floor(random() * 0.5 * HOUR),
    );
    usage.lastUses.push([`api_key:${key.id}`, last]);
  }
  return usage;
}

/** Draws the allowed requests of each hour. The month of a used-up quota is exactly full. */
function inventHours(random, key, now) {
  const end = findLastAllowed(key, now);
  const begin = findBegin(key, now);
  const pace = (key.used * LIMITS[key.tier]) / Math.max(HOUR, (key.revoked ? now : end) - begin);
  const hours = new Map();
  for (let day = now - (now % DAY) - Math.floor(key.days) * DAY; day < end; day += DAY) {
    const busy = 0.8 + 0.4 * random();
    for (let hour = day; hour < Math.min(day + DAY, end); hour += HOUR) {
      const count = around(random, pace * busy * Math.min(HOUR, end - hour));
      if (count > 0) hours.set(hour, count);
    }
  }
  if (!isFull(key)) return hours;
  const isOfMonth = ([hour]) => hour >= findMonthStart(now);
  let missing = LIMITS[key.tier] - [...hours].filter(isOfMonth).reduce((sum, [, count]) => sum + count, 0);
  for (const [hour, count] of [...hours].filter(isOfMonth).reverse()) {
    if (missing === 0) break;
    const next = Math.max(0, count + missing);
    missing -= next - count;
    hours.set(hour, next);
  }
  return hours;
}

/** The addresses and paths of a key in the hours of the last day. */
function inventOrigins(random, { key, hours, machines, refused }, now) {
  const rows = new Map();
  const add = (hour, kind, origin, allowed, refusals) => {
    const row = rows.get(`${hour} ${kind} ${origin}`) ?? [key.id, hour, kind, origin, 0, 0];
    row[4] += allowed;
    row[5] += refusals;
    rows.set(`${hour} ${kind} ${origin}`, row);
  };
  const shorten = (path) => `/${path.split('/').slice(1, 3).join('/')}`;
  const oldest = now - (now % HOUR) - 23 * HOUR;
  for (const [hour, allowed] of hours) {
    if (hour < oldest) continue;
    const [ip, [, path]] = [pick(random, machines), pick(random, PATHS.read)];
    add(hour, 'ip', ip, allowed, 0);
    add(hour, 'path', shorten(path), allowed, 0);
  }
  for (const { at, ip, path } of refused) {
    const hour = at - (at % HOUR);
    if (hour < oldest) continue;
    add(hour, 'ip', ip, 0, 1);
    add(hour, 'path', shorten(path), 0, 1);
  }
  return [...rows.values()];
}

/**
 * Spreads the hours of a key over the minutes of the last two hours, and adds its refusals as a client. In a minute with
 * refusals it uses up its limit, as far as the hour has requests.
 */
function listDemand(key, hours, refused, now) {
  const end = now - (now % MINUTE);
  const limit = CLIENT_LIMITS[key.client_type ?? 'confidential'];
  const countRefusals = (at) =>
    refused.filter((each) => each.isClientLimit && each.at >= at && each.at < at + MINUTE).length;
  const demand = [];
  for (const [hour, count] of hours) {
    if (hour + HOUR <= end - DEMAND_LASTS) continue;
    const minutes = [];
    for (let at = hour; at < Math.min(hour + HOUR, end); at += MINUTE)
      minutes.push({ at, refusals: countRefusals(at) });
    const full = minutes.filter(({ refusals }) => refusals > 0);
    const most = Math.min(count, full.length * limit);
    const seen = { full: 0, calm: 0 };
    for (const { at, refusals } of minutes) {
      const allowed =
        refusals > 0
          ? findPart(most, seen.full++, full.length)
          : findPart(count - most, seen.calm++, minutes.length - full.length);
      if (at < end - DEMAND_LASTS || allowed + refusals === 0) continue;
      const peak = refusals > 0 ? 100 : Math.min(100, Math.round((allowed / limit) * 100));
      demand.push([at, 'client', 'all', key.id, allowed + refusals, 0, 0, 0, 0, 0, refusals, peak]);
    }
  }
  return demand;
}
