import { TAKE_BACK } from '@/lib/counters/redis/change-scripts';
import { WINDOW_FUNCTIONS } from '@/lib/counters/redis/window-script';

/**
 * Settles one attempt, unless KEYS[1] records that this happened before. The record expires after ARGV[1] ms.
 *
 * ARGV[2] is a JSON array with one element for each of the counters KEYS[2..]:
 *
 * - `[seconds, slot, unused, additional]` for a window: takes `unused` hits back from the slot, or counts `additional`
 *   hits now.
 * - `[0, month, unused, additional, number, first ms, first ms of the next]` for a month: the month of the attempt, and a
 *   month near the present time.
 */
export const SETTLE_SCRIPT = `
${WINDOW_FUNCTIONS}
${TAKE_BACK}
local call = redis.call

local function takeFromMonth(key, month, unused)
  local counts = tonumber(call('HGET', key, month) or 0)
  if counts > 0 then call('HSET', key, month, format('%.0f', math.max(0, counts - unused))) end
end

local function addToMonth(key, month, additional)
  local stored = call('HGET', key, month)
  call('HSET', key, month, format('%.0f', min(MAX, tonumber(stored or 0) + additional)))
  if not stored then
    call('HDEL', key, month - 13, 'f' .. month - 13)
    call('PEXPIRE', key, MONTH_TTL)
  end
end

local function addToWindow(i, key, seconds, additional, now)
  readWindow(i, call('GET', key), floor(now * SLOTS / (seconds * 1000)))
  addHits(i, additional)
  writeWindow(i, key, seconds)
end

if not call('SET', KEYS[1], '1', 'NX', 'PX', ARGV[1]) then return 0 end
local time = call('TIME')
local now = time[1] * 1000 + floor(time[2] / 1000)
for i, charge in ipairs(cjson.decode(ARGV[2])) do
  local key = KEYS[i + 1]
  local seconds, at, unused, additional, number, first, next = unpack(charge)
  if additional > 0 and seconds > 0 then
    addToWindow(i, key, seconds, additional, now)
  elseif additional > 0 then
    addToMonth(key, number + (now >= next and 1 or 0) - (now < first and 1 or 0), additional)
  elseif seconds > 0 then
    takeBack(key, at, unused)
  else
    takeFromMonth(key, at, unused)
  end
end
return 1
`;
