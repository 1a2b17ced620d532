import { TAKE_BACK } from '@/lib/counters/redis/change-scripts';
import { WINDOW_FUNCTIONS } from '@/lib/counters/redis/window-script';

/**
 * Counts permits of one sliding window ahead, in its current slot, like the cost of an attempt in `COMMIT_SCRIPT`.
 * Replies nil and changes nothing if the caller has seen another revision.
 *
 * KEYS: the revision, the counter, its mark. ARGV: the text that the caller has seen in KEYS[1], the length of the
 * window in seconds, the limit, the highest number of permits, and the mark for a counter that has none. A reset
 * deletes the mark, so that permits are never returned to a counter that has not counted them.
 *
 * Replies three doubles (little endian): the time in ms, the number of permits, and the count of the window after that.
 * The permits are at most a quarter of what is left, so that instances share the rest. The mark follows.
 */
export const TAKE_SCRIPT = `
${WINDOW_FUNCTIONS}
local values = redis.call('MGET', unpack(KEYS))
if values[1] ~= ARGV[1] then return false end
local time = redis.call('TIME')
local now = time[1] * 1000 + floor(time[2] / 1000)
local seconds, limit, most = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
readWindow(1, values[2], floor(now * SLOTS / (seconds * 1000)))
local permits = math.max(0, min(most, floor((limit - used[1]) / 4)))
local mark = values[3] or ARGV[5]
if permits > 0 then
  addHits(1, permits)
  writeWindow(1, KEYS[2], seconds)
  redis.call('SET', KEYS[3], mark, 'PX', ttlOf(seconds))
end
return pack('<ddd', now, permits, used[1]) .. mark
`;

/**
 * Takes back permits that were counted ahead if the counter still has the same mark. KEYS: counters, each followed by
 * its mark. ARGV: for each counter its mark, the slot, and the number of permits.
 */
export const RETURN_SCRIPT = `
${TAKE_BACK}
for i = 1, #KEYS / 2 do
  local at = i * 3 - 2
  if getText(KEYS[i * 2]) == ARGV[at] then
    takeBack(KEYS[i * 2 - 1], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]))
  end
end
return 1
`;
