/**
 * Raises the epoch to ARGV[1] and keeps it for ARGV[2] ms, for the installation ARGV[3]. KEYS[1] is the epoch. An epoch
 * that is not lower, or not ours, becomes unknown: the next group asks the database.
 */
export const PUBLISH_SCRIPT = `
local held = redis.call('GET', KEYS[1]) or ''
local revision, writes, owner = string.match(held, '^(-?%d+) (%d+) (%S+)$')
local known = ARGV[1]
if held ~= '' and (owner ~= ARGV[3] or tonumber(revision) >= tonumber(known)) then known = '-1' end
local text = string.format('%s %.0f %s', known, tonumber(writes or 0) + 1, ARGV[3])
redis.call('SET', KEYS[1], text, 'PX', ARGV[2])
return 1
`;

/**
 * Reads counters as they are kept. ARGV[1] is the month, ARGV[i + 1] is 1 where KEYS[i] is a month's counter.
 * Answers the time (seconds, microseconds) and for each the slots as text, oldest first (`<slot>:<hits>;`), or the pair
 * of what counts and what is forgiven.
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

/** Forgives what a month's counter has counted, for each month in ARGV. KEYS[1] is the counter. */
export const FORGIVE_SCRIPT = `
for _, month in ipairs(ARGV) do
  local counts = redis.call('HGET', KEYS[1], month)
  if counts then
    local forgiven = tonumber(redis.call('HGET', KEYS[1], 'f' .. month) or 0) + tonumber(counts)
    redis.call('HSET', KEYS[1], month, '0', 'f' .. month, string.format('%.0f', forgiven))
  end
end
return 1
`;
