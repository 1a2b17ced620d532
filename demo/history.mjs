import { createClient } from '@libsql/client';
import {
  ATTACKER,
  CLOSING,
  OFFICE,
  PATHS,
  REFUSED_ADDRESSES,
  SCRAPER,
  SCRAPERS,
  SCRAPERS_LIMIT,
  USERS,
} from './cast.mjs';
import { CLIENT_LIMITS, findLastAllowed, inventMachines, inventUsage } from './key-usage.mjs';
import { ClassDemand, inventLimitTraffic } from './limit-history.mjs';
import { around, findPart, pick, seeded } from './random.mjs';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const DAYS = 30;
/** Requests a minute at the busiest time of the day, by class. */
const BUSIEST = { auth: 26, sensitive: 14, read: 420, write: 95 };
/** Sign-in attacks: how many minutes ago each began, and how long it was. The first goes on until now. */
const ATTACKS = [
  { ago: 9, minutes: 9, hits: 180 },
  { ago: 9 * 60 + 40, minutes: 25, hits: 28 },
  { ago: 3 * 1440 + 200, minutes: 50, hits: 40 },
  { ago: 11 * 1440 + 700, minutes: 90, hits: 22 },
];

/** A month of traffic, as the product's own tables hold it, up to and without the minute of `now`. */
export async function insertHistory({ url, keys, exceptions, now }) {
  const random = seeded(20261);
  const machines = inventMachines(random, keys);
  const traffic = inventTraffic(random, { keys, exceptions, machines }, now);
  const usage = inventUsage(random, keys, { machines, refusals: traffic.refusals }, now);
  const client = createClient({ url });
  try {
    await client.execute('pragma busy_timeout = 10000');
    const add = (table, columns, rows) => insertRows(client, table, columns, rows);
    await add('rollups', ['step', 'start', 'class', 'outcome', 'reason', 'count'], traffic.rollups);
    await add('refused_identifiers', ['step', 'start', 'type', 'identifier', 'class', 'count'], traffic.refused);
    await add('decisions', DECISION_COLUMNS, traffic.decisions);
    await add('limit_counts', ['step', 'start', 'class', 'limit_name', ...LIMIT_COLUMNS], traffic.limits);
    await add('demand', DEMAND_COLUMNS, [...traffic.demand, ...usage.demand]);
    await add('key_days', ['api_key_id', 'day', 'allowed', 'refused'], usage.days);
    await add('counter_months', ['key', 'month', 'hits', 'floor'], usage.months);
    await add('key_origins', ['api_key_id', 'hour', 'kind', 'origin', 'allowed', 'refused'], usage.origins);
    await add('last_uses', ['subject', 'at'], usage.lastUses);
  } finally {
    client.close();
  }
}

const LIMIT_COLUMNS = [
  ...['allowed', 'refused', 'degraded', 'observed', 'units', 'refused_units'],
  ...['reserved', 'settled', 'settled_used'],
];
const DEMAND_COLUMNS = [
  ...['start', 'subject', 'class', 'identifier', 'p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'refused', 'peak'],
];

const DECISION_COLUMNS = [
  'at',
  'outcome',
  'class',
  'reason',
  'subject_type',
  'identifier',
  'method',
  'path',
  'ip',
  'user_id',
  'api_key_id',
  'request_id',
  'limit',
  'window_seconds',
  'used',
  'cost',
  'retry_after',
  'reset',
  'source',
  'source_id',
  'limit_name',
];

/** Limits of addresses and users: limit, and window in seconds. */
const MEASURES = {
  ip: { auth: [8, 60], sensitive: [30, 60], read: [120, 60], write: [50, 60] },
  user: { sensitive: [100, 3_600], write: [1_000, 3_600] },
};
const SCRAPERS_PREFIX = SCRAPERS.replace('0/24', '');

/** What an event is measured by: limit, window in seconds, and where the limit comes from. */
function measureOf({ type, class: name, outcome, identifier, clientType }, exceptions) {
  if (outcome !== 'refused') return { source: 'allowlist', sourceId: exceptions.office };
  if (type === 'client')
    return { limit: CLIENT_LIMITS[clientType], window: 60, source: 'client', sourceId: clientType };
  if (type === 'quota') return { limit: 1_000, window: null, source: 'tier', sourceId: 'free' };
  if (type === 'limit') return { limit: 1, window: 30, source: 'limit', sourceId: 'sms' };
  if (name === 'read' && identifier.startsWith(SCRAPERS_PREFIX))
    return { limit: SCRAPERS_LIMIT, window: 60, source: 'override', sourceId: exceptions.scrapers };
  const [limit, window] = MEASURES[type][name];
  return { limit, window, source: 'policy' };
}

/** Returns the form in which an address is counted: the /64 of an IPv6 address. */
const formatCounted = (address) => address.replace(/::[\da-f]+$/, '::/64');

/** Returns the user who is the busiest of an hour, and in which class. Another one is it in the next hour. */
function findBusiestUser(hour) {
  const users = USERS.slice(1);
  const user = users[hour % users.length];
  return { user, name: user === CLOSING || Math.floor(hour / users.length) % 2 === 0 ? 'write' : 'sensitive' };
}
/** Minutes in which the busiest user of an hour uses up its limit. It is refused in the rest of the hour. */
const USER_MINUTES = 45;

async function insertRows(client, table, columns, rows) {
  const values = columns.map((_, index) => `value ->> ${index}`).join(', ');
  const sql = `insert into ${table} (${columns.map((name) => `"${name}"`).join(', ')}) select ${values} from json_each(?)`;
  for (let start = 0; start < rows.length; start += 2_000) {
    await client.execute({ sql, args: [JSON.stringify(rows.slice(start, start + 2_000))] });
  }
}

/** Share of the busiest minute: quiet at night (UTC), quieter at the weekend. */
function busyness(at) {
  const hour = (at % DAY) / 3_600_000;
  const weekend = [0, 6].includes(new Date(at).getUTCDay()) ? 0.62 : 1;
  return weekend * (0.3 + 0.7 * Math.sin((Math.PI * (((hour + 18) % 24) + 0.5)) / 24) ** 2);
}

function inventTraffic(random, { keys, exceptions, machines }, now) {
  const counts = new Map();
  const refused = new Map();
  const decisions = [];
  /** Refusals of keys, which their days and origins count as well. */
  const refusals = [];
  const end = now - (now % MINUTE);
  const begin = end - DAYS * DAY;
  const steps = [
    { seconds: 60, from: end - 2 * DAY + MINUTE },
    { seconds: 3_600, from: 0 },
    { seconds: 86_400, from: 0 },
  ];
  const add = (into, at, name, count) => {
    for (const { seconds, from } of steps) {
      if (at < from) continue;
      const key = `${seconds}\n${at - (at % (seconds * 1000))}\n${name}`;
      into.set(key, (into.get(key) ?? 0) + count);
    }
  };
  const classDemand = new ClassDemand(end);
  const record = (at, event) => {
    if (MEASURES[event.type] !== undefined && event.outcome === 'refused')
      classDemand.add(at, event, { units: 1, share: 1, refused: 1 });
    add(counts, at, `${event.class}\n${event.outcome}\n${event.reason ?? ''}`, 1);
    const subject = event.limitName === undefined ? event.identifier : `${event.limitName}|${event.identifier}`;
    if (event.outcome === 'refused') add(refused, at, `${event.type}\n${subject}\n${event.class}`, 1);
    const [method, path] = event.class === '' ? [null, null] : pick(random, PATHS[event.class]);
    const moment = at + Math.floor(random() * MINUTE);
    const { limit = null, window = null, source, sourceId = null } = measureOf(event, exceptions);
    const wait = window === null ? null : 1 + Math.floor(random() * (window / 6));
    const isOfKey = event.type === 'client' || event.type === 'quota';
    const caller =
      event.class === ''
        ? null
        : isOfKey
          ? pick(random, machines.get(event.identifier))
          : `203.0.113.${1 + Math.floor(random() * 250)}`;
    if (isOfKey)
      refusals.push({ key: event.identifier, at: moment, ip: caller, path, isClientLimit: event.type === 'client' });
    decisions.push([
      moment,
      event.outcome,
      event.class,
      event.reason,
      event.type,
      event.identifier,
      method,
      path,
      event.ip ?? caller,
      event.type === 'user' ? event.identifier : null,
      isOfKey ? event.identifier : null,
      hexadecimal(random),
      limit,
      window,
      limit,
      1,
      wait,
      window === null ? null : Math.ceil(moment / 1000) + window,
      source,
      sourceId,
      event.limitName ?? null,
    ]);
  };
  /** An address uses up its limit in a minute, and then is refused. */
  const exceed = (at, name, ip, refusals) => {
    const event = { ...refusal(name, 'ip', formatCounted(ip), 'rate_limit_exceeded'), ip };
    const { limit } = measureOf(event, exceptions);
    add(counts, at, `${name}\nallowed\n`, limit);
    classDemand.add(at, event, { units: limit, share: 1 });
    for (let left = refusals; left > 0; left -= 1) record(at, event);
  };
  const clients = keys.filter((key) => ['Demo: Partner feed', 'Demo: Mobile app'].includes(key.name));
  const empty = keys.find((key) => key.used >= 1 && key.overage_allowed !== true);
  const usedUpAt = findLastAllowed(empty, now);
  for (let at = begin; at < end; at += MINUTE) {
    const busy = busyness(at);
    for (const [name, most] of Object.entries(BUSIEST)) {
      const count = around(random, most * busy);
      if (count > 0) add(counts, at, `${name}\nallowed\n`, count);
      classDemand.allow(at, name, count, MEASURES.ip[name][0]);
    }
    for (let left = around(random, 0.14 * busy); left > 0; left -= 1) {
      const name = random() < 0.75 ? 'read' : pick(random, ['auth', 'write', 'sensitive']);
      exceed(at, name, pick(random, REFUSED_ADDRESSES), 1 + around(random, 2.5));
    }
    if (random() < 0.06 * busy) exceed(at, 'read', SCRAPER, 1 + around(random, 5));
    else {
      const scraped = around(random, 40);
      add(counts, at, 'read\nallowed\n', scraped);
      const caller = { type: 'ip', class: 'read', identifier: SCRAPER };
      classDemand.add(at, caller, { units: scraped, share: scraped / SCRAPERS_LIMIT });
    }
    const { user, name: busiest } = findBusiestUser(Math.floor(at / HOUR));
    const minute = (at % HOUR) / MINUTE;
    // The counters of users reach back for an hour, and hold none of this.
    if (at < now - (now % HOUR) - HOUR) {
      if (minute < USER_MINUTES) {
        const units = findPart(MEASURES.user[busiest][0], minute, USER_MINUTES);
        const caller = { type: 'user', class: busiest, identifier: user };
        classDemand.add(at, caller, { units, share: (minute + 1) / USER_MINUTES });
      } else {
        for (let left = around(random, 0.55 * busy); left > 0; left -= 1)
          record(at, refusal(busiest, 'user', user, 'user_rate_limit_exceeded'));
      }
    }
    if (random() < 0.015 * busy) {
      // A key is refused only on days that it existed.
      const existing = clients.filter(({ days }) => at >= now - (now % DAY) - Math.floor(days) * DAY);
      if (existing.length > 0) {
        const { id, client_type: clientType = 'confidential' } = pick(random, existing);
        for (let left = 1 + around(random, 6); left > 0; left -= 1)
          record(at, { ...refusal('read', 'client', id, 'client_rate_limit_exceeded'), clientType });
      }
    }
    if (at >= usedUpAt) {
      for (let left = around(random, 1.2 * busy); left > 0; left -= 1)
        record(at, refusal('read', 'quota', empty.id, 'quota_exceeded'));
    }
    if (random() < 0.08 * busy) {
      record(at, { class: 'read', outcome: 'bypassed', reason: null, type: 'ip', identifier: OFFICE, ip: OFFICE });
    }
    for (const attack of ATTACKS) {
      const since = (at - (end - attack.ago * MINUTE)) / MINUTE;
      if (since < 0 || since >= attack.minutes) continue;
      const swell = 0.35 + 0.65 * Math.sin((Math.PI * (since + 0.5)) / attack.minutes);
      exceed(at, 'auth', ATTACKER, around(random, 0.8 * attack.hits * swell));
      exceed(at, 'auth', `203.0.113.${60 + Math.floor(random() * 6)}`, around(random, 0.2 * attack.hits * swell));
    }
  }
  const limitCounts = new Map();
  const demand = inventLimitTraffic(seeded(20262), {
    ...{ keys, begin, end, busyness },
    count(at, name, columns) {
      for (const [column, count] of Object.entries(columns)) add(limitCounts, at, `${name}\n${column}`, count);
      if (columns.allowed !== undefined) add(counts, at, '\nallowed\n', columns.allowed);
    },
    refuse: (at, limitName, identifier) =>
      record(at, { ...refusal('', 'limit', identifier, 'rate_limit_exceeded'), limitName }),
  });
  decisions.sort(([one], [other]) => one - other);
  const rows = (map) =>
    [...map].map(([key, count]) => {
      const [step, start, ...rest] = key.split('\n');
      return [Number(step), Number(start), ...rest, count];
    });
  return {
    rollups: rows(counts),
    refused: rows(refused),
    decisions,
    refusals,
    limits: pivotLimits(rows(limitCounts)),
    demand: [...demand, ...classDemand.list()],
  };
}

/** Joins the counts of each limit and step to one row. */
function pivotLimits(counts) {
  const limits = new Map();
  for (const [step, start, name, column, count] of counts) {
    const key = `${step}\n${start}\n${name}`;
    const row = limits.get(key) ?? [step, start, '', name, ...LIMIT_COLUMNS.map(() => 0)];
    row[4 + LIMIT_COLUMNS.indexOf(column)] += count;
    limits.set(key, row);
  }
  return [...limits.values()];
}

/** Looks like the id that a request is given. */
function hexadecimal(random) {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

function refusal(endpointClass, type, identifier, reason) {
  return { class: endpointClass, outcome: 'refused', reason, type, identifier };
}
