/**
 * Raises the stored revision (KEYS[1]) to ARGV[1] and keeps it for ARGV[2] ms, for the installation ARGV[3]. One that is
 * not lower, or another installation's, becomes unknown: the next group reads the database.
 */
export const PUBLISH_SCRIPT = `
local held = redis.call('GET', KEYS[1]) or ''
local revision, writes, owner = string.match(held, '^(-?%d+) (%d+) (%S+)$')
local next = ARGV[1]
if held ~= '' and (owner ~= ARGV[3] or tonumber(revision) >= tonumber(next)) then next = '-1' end
local text = string.format('%s %.0f %s', next, tonumber(writes or 0) + 1, ARGV[3])
redis.call('SET', KEYS[1], text, 'PX', ARGV[2])
return 1
`;

/**
 * Reads counters as they are stored. ARGV[1] is the month, ARGV[i + 1] is 1 where KEYS[i] is a month's counter.
 * Replies the time (seconds, microseconds) and for each the slots as text, oldest first (`<slot>:<hits>;`), or the pair
 * of what counts and what resets have subtracted.
 */
export const READ_SCRIPT = `
local reply = {redis.call('TIME')}
for i, key in ipairs(KEYS) do
  if ARGV[i + 1] == '1' then
    reply[i + 1] = redis.call('HMGET', key, ARGV[1], 'f' .. ARGV[1])
  else
    local value = redis.call('GET', key)
    if value and #value >= 24 then
      local count, newest, _, start = struct.unpack('<ddd', value)
      value = string.sub(value, start) .. string.format('%.0f:%.0f;', newest, count)
    end
    reply[i + 1] = value
  end
end
return reply
`;

/** Resets the usage of a month's counter (KEYS[1]), for each month in ARGV. */
export const RESET_SCRIPT = `
for _, month in ipairs(ARGV) do
  local counts = redis.call('HGET', KEYS[1], month)
  if counts then
    local subtracted = tonumber(redis.call('HGET', KEYS[1], 'f' .. month) or 0) + tonumber(counts)
    redis.call('HSET', KEYS[1], month, '0', 'f' .. month, string.format('%.0f', subtracted))
  end
end
return 1
`;
