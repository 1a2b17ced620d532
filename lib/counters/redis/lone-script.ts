import { LONG_TTL } from '@/lib/counters/redis/keys';
import { COUNT_AND_REPLY, READ_WINDOW } from '@/lib/counters/redis/window-script';

/**
 * Decides one attempt whose meters name different counters, as `COMMIT_SCRIPT` does, in less than half of its time: it
 * knows nothing but what nearly always holds. Replies nil and has touched nothing where it does not: when the stored
 * revision is not the one that the caller has seen, when the clock went back, when sums are too large to be exact, and
 * when the caller means another month than the server.
 *
 * KEYS[1] is the revision, KEYS[2..] are the counters. ARGV: what the caller has seen in KEYS[1], the cost, for each
 * counter the length of its window in seconds (0: a month) and the limit (-1 never refuses); and, where there is a
 * month, its number, its first ms, and that of the next one.
 *
 * Replies doubles (little endian): now in ms, then the verdict as `COMMIT_SCRIPT` does. An attempt that consumes
 * nothing writes the revision again, so that a replica refuses to decide it.
 */
export const LONE_SCRIPT = `
local call, floor, bytes = redis.call, math.floor, struct.pack
local last = #KEYS
local values = call('MGET', unpack(KEYS))
if values[1] ~= ARGV[1] then return false end
local time = call('TIME')
local now = time[1] * 1000 + floor(time[2] / 1000)
local cost = ARGV[2] + 0

local month = ARGV[2 * last + 1]
if month and (now < ARGV[2 * last + 2] + 0 or now >= ARGV[2 * last + 3] + 0) then return false end

local admitted, states = 1, {}
for i = 2, last do
  local seconds, limit, value = ARGV[2 * i - 1] + 0, ARGV[2 * i] + 0, values[i]
  -- Hits of the newest slot, which slot that is, and hits of the older ones, which begin in the value at start; or what
  -- the older ones will be.
  local slot, count, newest, others, start, past = 0, 0, -1, 0, 1, ''
  if seconds == 0 then
    past = call('HGET', KEYS[i], month)
    count = (past or 0) + 0
  else
    slot = floor(now * 60 / (seconds * 1000))
    ${READ_WINDOW}
  end
  if count + others + cost >= 9007199254740991 then return false end
  if limit >= 0 and cost > 0 and count + others + cost > limit then admitted = 0 end
  states[i] = {seconds, limit, slot, count, newest, others, start, past}
end

local reply, r = {now, admitted}, 2
for i = 2, last do
  local seconds, limit, slot, count, newest, others, start, past = unpack(states[i], 1, 8)
  local key, value = KEYS[i], values[i]
  ${COUNT_AND_REPLY}
end
if admitted == 0 or cost == 0 then call('SET', KEYS[1], ARGV[1], 'PX', '${LONG_TTL}') end
return bytes('<' .. string.rep('d', r), unpack(reply))
`;
