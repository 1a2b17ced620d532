import { PREFIX, scanNames } from '@/lib/counters/redis/keys';
import type { RedisLink } from '@/lib/counters/redis/link';
import { readStoredWindow } from '@/lib/counters/redis/script-messages';
import { type CounterBatch, type CounterSnapshot, findWindowEnd } from '@/lib/counters/transfer/counter-snapshot';
import { EMPTY_SLIDING, listHits } from '@/lib/limiter/sliding-counter';
import { splitInSteps } from '@/lib/split-in-steps';

/** Counters per call. A script blocks the server while it runs. */
const STEP = 500;

/** Returns the content of each key: a window's slots as text, `<slot>:<hits>;`, or a month's hash as a flat list. */
const EXPORT_SCRIPT = `
local reply = {}
for i, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  if kind == 'hash' then
    reply[i] = redis.call('HGETALL', key)
  else
    local value = kind == 'string' and redis.call('GET', key) or ''
    if #value >= 24 then
      local count, newest, _, start = struct.unpack('<ddd', value)
      value = string.sub(value, start) .. string.format('%.0f:%.0f;', newest, count)
    end
    reply[i] = value
  end
end
return reply
`;

/**
 * Writes counters in the format of `COMMIT_SCRIPT`. ARGV[i] belongs to KEYS[i], as JSON: `[ends, newest, hits in it,
 * hits in the slot before, ...]` for a window, `[0, month, usage, forgiven, month, ...]` for a month's counter.
 */
const IMPORT_SCRIPT = `
local MONTH_TTL = 93 * 86400000
local MAX = 9007199254740991
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
for i, key in ipairs(KEYS) do
  local list = cjson.decode(ARGV[i])
  if list[1] == 0 then
    for j = 2, #list, 3 do
      local month = string.format('%.0f', list[j])
      redis.call('HSET', key, month, string.format('%.0f', list[j + 1]))
      if list[j + 2] > 0 then redis.call('HSET', key, 'f' .. month, string.format('%.0f', list[j + 2])) end
    end
    redis.call('PEXPIRE', key, MONTH_TTL)
  elseif list[1] > now then
    local older, sum = {}, 0
    for j = #list, 4, -1 do
      if list[j] > 0 then
        older[#older + 1] = string.format('%.0f:%.0f;', list[2] - (j - 3), list[j])
        sum = math.min(MAX, sum + list[j])
      end
    end
    local text = struct.pack('<ddd', list[3], list[2], sum) .. table.concat(older)
    redis.call('SET', key, text, 'PX', string.format('%.0f', list[1] - now))
  end
end
return 1
`;

export function openRedisSnapshot(connection: RedisLink): CounterSnapshot {
  return {
    async *read() {
      const seen = new Set<string>();
      for await (const names of scanNames(connection, '')) {
        // A scan may return a key twice.
        const fresh = names.filter((name) => !seen.has(name));
        for (const name of fresh) seen.add(name);
        for (const step of splitInSteps(fresh, STEP)) {
          const reply = await connection.run(EXPORT_SCRIPT, step, []);
          yield buildBatch(step, Array.isArray(reply) ? reply : []);
        }
      }
    },
    async clear() {
      for await (const names of scanNames(connection, '')) {
        if (names.length > 0) await connection.runCommand('unlink', names);
      }
    },
    async write({ windows, months }) {
      const lists = new Map<string, number[]>();
      for (const { key, counter } of windows) {
        lists.set(key, [findWindowEnd(key, counter), counter.newest, ...listHits(counter)]);
      }
      for (const { key, counter } of months) {
        const list = lists.get(key) ?? [0];
        list.push(counter.month, counter.hits - counter.floor, counter.floor);
        lists.set(key, list);
      }
      for (const step of splitInSteps([...lists], STEP)) {
        const values = step.map(([, list]) => JSON.stringify(list));
        await connection.run(
          IMPORT_SCRIPT,
          step.map(([key]) => PREFIX + key),
          values,
        );
      }
    },
  };
}

function buildBatch(names: readonly string[], values: readonly unknown[]): CounterBatch {
  const windows: CounterBatch['windows'][number][] = [];
  const months: CounterBatch['months'][number][] = [];
  for (const [index, name] of names.entries()) {
    const key = name.slice(PREFIX.length);
    const value = values[index];
    if (!Array.isArray(value)) {
      const counter = readStoredWindow(value);
      if (counter !== EMPTY_SLIDING) windows.push({ key, counter });
      continue;
    }
    const fields = new Map<string, number>();
    for (let i = 0; i < value.length; i += 2) fields.set(String(value[i]), Number(value[i + 1]));
    for (const [field, usage] of fields) {
      if (!/^\d+$/.test(field)) continue;
      const floor = fields.get(`f${field}`) ?? 0;
      months.push({ key, counter: { kind: 'month', month: Number(field), hits: usage + floor, floor } });
    }
  }
  return { windows, months };
}
