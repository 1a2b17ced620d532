import { TAKE_BACK } from '@/lib/counters/redis/change-scripts';

/**
 * Lua function `settle(settlements, now)` for a script that begins with `WINDOW_FUNCTIONS`. It applies settlements in
 * order, and returns 1 for each, or 0 if its id is recorded already.
 *
 * A settlement is `[key, kept for ms, charge, ...]`. The key, a number in KEYS, records its id. A charge begins with the
 * number of its counter in KEYS:
 *
 * - `[key, seconds, slot, unused, additional]` for a window: takes `unused` hits back from the slot, or counts
 *   `additional` hits now.
 * - `[key, 0, month, unused, additional, number, first ms, first ms of the next]` for a month: the month of the attempt,
 *   and a month near the present time.
 */
export const SETTLE_FUNCTION = `
${TAKE_BACK}
local function takeFromMonth(key, month, unused)
  local counts = tonumber(getField(key, month) or 0)
  if counts > 0 then redis.call('HSET', key, month, format('%.0f', math.max(0, counts - unused))) end
end

local function addToMonth(key, month, additional)
  local counts = getField(key, month)
  redis.call('HSET', key, month, format('%.0f', min(MAX, tonumber(counts or 0) + additional)))
  if not counts then
    redis.call('HDEL', key, month - 13, 'f' .. month - 13)
    redis.call('PEXPIRE', key, MONTH_TTL)
  end
end

-- Counters of attempts have numbers from 1.
local function addToWindow(key, seconds, additional, now)
  readWindow(0, getText(key), floor(now * SLOTS / (seconds * 1000)))
  addHits(0, additional)
  writeWindow(0, key, seconds)
end

local function correct(charge, now)
  local name, seconds, at, unused, additional, number, first, next = unpack(charge)
  local key = KEYS[name]
  if additional > 0 and seconds > 0 then
    addToWindow(key, seconds, additional, now)
  elseif additional > 0 then
    addToMonth(key, number + (now >= next and 1 or 0) - (now < first and 1 or 0), additional)
  elseif seconds > 0 then
    takeBack(key, at, unused)
  else
    takeFromMonth(key, at, unused)
  end
end

local function settle(settlements, now)
  local settled = {}
  for s, settlement in ipairs(settlements) do
    local isFirst = redis.call('SET', KEYS[settlement[1]], '1', 'NX', 'PX', settlement[2])
    if isFirst then
      for c = 3, #settlement do correct(settlement[c], now) end
    end
    settled[s] = isFirst and 1 or 0
  end
  return settled
end
`;
