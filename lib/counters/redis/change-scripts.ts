import { READ_FUNCTIONS } from '@/lib/counters/redis/read-functions';

/**
 * Raises the stored revision (KEYS[1]) to ARGV[1] and keeps it for ARGV[2] ms, for the installation ARGV[3]. If ARGV[1]
 * is not higher, or the stored revision is another installation's, the revision becomes unknown. The next group then
 * reads the database.
 */
export const PUBLISH_SCRIPT = `
${READ_FUNCTIONS}
local held = getText(KEYS[1]) or ''
local revision, writes, owner = string.match(held, '^(-?%d+) (%d+) (%S+)$')
local next = ARGV[1]
if held ~= '' and (owner ~= ARGV[3] or tonumber(revision) >= tonumber(next)) then next = '-1' end
local text = string.format('%s %.0f %s', next, tonumber(writes or 0) + 1, ARGV[3])
redis.call('SET', KEYS[1], text, 'PX', ARGV[2])
return 1
`;

/** Writes the stored revision (KEYS[1]): ARGV[2] if it is still ARGV[1], for ARGV[3] ms. Replies 1 on success. */
export const EXCHANGE_SCRIPT = `
${READ_FUNCTIONS}
if (getText(KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
`;

/**
 * Reads counters as they are stored. ARGV[i] is the number of the month if KEYS[i] is a month's counter, else empty.
 * Replies the time (seconds, microseconds). For each counter it adds the slots as text, oldest first
 * (`<slot>:<hits>;`), or the pair of the month's count and the part that resets have subtracted.
 */
export const READ_SCRIPT = `
${READ_FUNCTIONS}
local reply = {redis.call('TIME')}
for i, key in ipairs(KEYS) do
  if ARGV[i] ~= '' then
    reply[i + 1] = {getField(key, ARGV[i]), getField(key, 'f' .. ARGV[i])}
  else
    local value = getText(key)
    if value and #value >= 24 then
      local count, newest, _, start = struct.unpack('<ddd', value)
      value = string.sub(value, start) .. string.format('%.0f:%.0f;', newest, count)
    end
    reply[i + 1] = value
  end
end
return reply
`;

/**
 * Resets the usage of a month's counter (KEYS[1]), for each month in ARGV[3..]. Keeps the removed usage in KEYS[2] for
 * ARGV[1] ms, unless that is 0. ARGV[2] is the counter's field there.
 */
export const RESET_SCRIPT = `
${READ_FUNCTIONS}
requireHash(KEYS[2])
for i = 3, #ARGV do
  local month = ARGV[i]
  local counts = getField(KEYS[1], month)
  if counts then
    local subtracted = tonumber(getField(KEYS[1], 'f' .. month) or 0) + tonumber(counts)
    redis.call('HSET', KEYS[1], month, '0', 'f' .. month, string.format('%.0f', subtracted))
    if ARGV[1] ~= '0' then
      redis.call('HSET', KEYS[2], ARGV[2], month .. ':' .. counts)
      redis.call('PEXPIRE', KEYS[2], ARGV[1])
    end
  end
end
return 1
`;

/**
 * Deletes the windows KEYS[2..] and keeps them in KEYS[1], for ARGV[1] ms, under the fields ARGV[2..]. Keys without a
 * field are only deleted.
 */
export const KEEP_SCRIPT = `
${READ_FUNCTIONS}
requireHash(KEYS[1])
for i = 2, #KEYS do
  if ARGV[i] and redis.call('TYPE', KEYS[i]).ok == 'string' then
    redis.call('HSET', KEYS[1], ARGV[i], redis.call('GET', KEYS[i]))
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
  end
  redis.call('UNLINK', KEYS[i])
end
return 1
`;

/** Lists the fields of the counters that a reset has kept in KEYS[1]. */
export const LIST_KEPT_SCRIPT = `
${READ_FUNCTIONS}
requireHash(KEYS[1])
return redis.call('HKEYS', KEYS[1])
`;

/**
 * Adds back the counters KEYS[2..] that KEYS[1] keeps under the fields ARGV[1..], and deletes KEYS[1]. Months are kept
 * as `<month>:<count>`. Windows are kept as `COMMIT_SCRIPT` stores them, and are merged slot by slot with later hits.
 */
export const RESTORE_SCRIPT = `
${READ_FUNCTIONS}
local MAX = 9007199254740991
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

-- Slots after the latest are damaged: numbers that large would not end the loop below.
local function add(slots, value, latest)
  local count, newest, _, start = struct.unpack('<ddd', value)
  local text = string.sub(value, start) .. string.format('%.0f:%.0f;', newest, count)
  for at, hits in string.gmatch(text, '(%d+):(%d+);') do
    at = tonumber(at)
    if at <= latest then slots[at] = math.min(MAX, (slots[at] or 0) + tonumber(hits)) end
  end
end

for i = 2, #KEYS do
  local key, field = KEYS[i], ARGV[i - 1]
  local kept = redis.call('HGET', KEYS[1], field)
  local month, forgiven = string.match(kept or '', '^(%d+):(%d+)$')
  -- Keys of places in flight have a plus. Candidates of earlier versions end in their id.
  local seconds = tonumber(string.match(key, '|%+?([1-9]%d*)$') or string.match(key, '|([1-9]%d*)|c%w+$'))
  if month then
    local counts = tonumber(getField(key, month) or 0) + tonumber(forgiven)
    local subtracted = math.max(0, tonumber(getField(key, 'f' .. month) or 0) - tonumber(forgiven))
    redis.call('HSET', key, month, string.format('%.0f', counts), 'f' .. month, string.format('%.0f', subtracted))
  elseif seconds and kept and #kept >= 24 then
    local slots, latest = {}, math.floor(now * 60 / (seconds * 1000)) + 60
    add(slots, kept, latest)
    local value = getText(key)
    if value and #value >= 24 then add(slots, value, latest) end
    local newest = -1
    for at in pairs(slots) do if at > newest then newest = at end end
    local left = math.ceil((newest + 62) * seconds * 1000 / 60) - now
    if left > 0 then
      local older, sum = {}, 0
      for at = newest - 60, newest - 1 do
        if slots[at] then
          older[#older + 1] = string.format('%.0f:%.0f;', at, slots[at])
          sum = math.min(MAX, sum + slots[at])
        end
      end
      local text = struct.pack('<ddd', slots[newest], newest, sum) .. table.concat(older)
      redis.call('SET', key, text, 'PX', string.format('%.0f', left))
    end
  end
  redis.call('HDEL', KEYS[1], field)
end
return 1
`;

/** Lua function `takeBack(key, slot, left)`. It works like `takeBackHits`, on a window as `COMMIT_SCRIPT` stores it. */
export const TAKE_BACK = `
${READ_FUNCTIONS}
local MAX = 9007199254740991
local function takeBack(key, slot, left)
  local value = getText(key)
  if not value or #value < 24 then return end
  local count, newest, _, start = struct.unpack('<ddd', value)
  local slots, hits = {}, {}
  for number, several in string.gmatch(string.sub(value, start), '(%d+):(%d+);') do
    slots[#slots + 1], hits[#hits + 1] = tonumber(number), tonumber(several)
  end
  slots[#slots + 1], hits[#hits + 1] = newest, count
  for j = #slots, 1, -1 do
    if slots[j] <= slot then
      local taken = math.min(left, hits[j])
      hits[j], left = hits[j] - taken, left - taken
    end
  end
  local last
  for j = #slots, 1, -1 do
    if hits[j] > 0 then
      last = j
      break
    end
  end
  if last then
    local older, sum = {}, 0
    for j = 1, last - 1 do
      if hits[j] > 0 then
        older[#older + 1] = string.format('%.0f:%.0f;', slots[j], hits[j])
        sum = math.min(MAX, sum + hits[j])
      end
    end
    redis.call('SET', key, struct.pack('<ddd', hits[last], slots[last], sum) .. table.concat(older), 'KEEPTTL')
  else
    redis.call('UNLINK', key)
  end
end
`;
