import { TAKE_BACK } from '@/lib/counters/redis/change-scripts';
import { READ_WINDOW } from '@/lib/counters/redis/window-script';

/**
 * Counts permits of one sliding window ahead, in its present slot, as `COMMIT_SCRIPT` counts a cost. Replies nil and has
 * touched nothing where `SHORT_SCRIPT` does.
 *
 * KEYS: the revision, the counter, its mark. ARGV: what the caller has seen in KEYS[1], the length of the window in
 * seconds, the limit, how many permits at most, and the mark where there is none: it goes when the counter is reset, so
 * that nothing is given back to a counter that has not counted it.
 *
 * Replies three doubles (little endian): now in ms, how many were taken (at most a quarter of what is left, so that
 * instances share the rest), what the window sees then. The mark follows.
 */
export const TAKE_SCRIPT = `
local values = redis.call('MGET', unpack(KEYS))
if values[1] ~= ARGV[1] then return false end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local seconds = ARGV[2] + 0
local slot = math.floor(now * 60 / (seconds * 1000))
local count, newest, others, start, past, value = 0, -1, 0, 1, '', values[2]
${READ_WINDOW}
local used = count + others
local permits = math.max(0, math.min(ARGV[4] + 0, math.floor((ARGV[3] - used) / 4)))
local mark = values[3] or ARGV[5]
if permits > 0 then
  local ttl = string.format('%.0f', math.ceil(62 * seconds * 1000 / 60))
  if past then
    redis.call('SET', KEYS[2], struct.pack('<ddd', permits, slot, others) .. past, 'PX', ttl)
  else
    redis.call('SETRANGE', KEYS[2], '0', struct.pack('<d', count + permits))
  end
  redis.call('SET', KEYS[3], mark, 'PX', ttl)
end
return struct.pack('<ddd', now, permits, used + permits) .. mark
`;

/**
 * Takes back permits that were counted ahead, where the counter has the same mark. KEYS: counters and their marks in
 * turn. ARGV: for each counter its mark, the slot, how many.
 */
export const GIVE_BACK_SCRIPT = `
${TAKE_BACK}
for i = 1, #KEYS / 2 do
  local at = i * 3 - 2
  if redis.call('GET', KEYS[i * 2]) == ARGV[at] then
    takeBack(KEYS[i * 2 - 1], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]))
  end
end
return 1
`;
