import { LONG_TTL } from '@/lib/counters/redis/keys';
import { COUNT_AND_REPLY, READ_WINDOW } from '@/lib/counters/redis/window-script';

/**
 * Decides attempts whose meters all name different counters, as `COMMIT_SCRIPT` does, in about half of its time: it knows
 * nothing but what nearly always holds. Replies nil and has touched nothing where it does not: when the stored revision is
 * not the one that the caller has seen, when the clock went back, when sums are too large to be exact, and when the caller
 * means another month than the server.
 *
 * KEYS[1] is the revision, KEYS[2..] are the counters. ARGV: what the caller has seen in KEYS[1], and the plan as a flat
 * JSON array of numbers: the number of the month, its first ms, and that of the next one (0 without a month), then for each
 * attempt its cost, how many meters, and for each of them the length of its window in seconds (0: a month) and the limit
 * (-1 never refuses).
 *
 * Replies doubles (little endian): now in ms, then the verdicts as `COMMIT_SCRIPT` does. Where nothing is counted it writes
 * the revision again, so that a replica refuses to decide.
 */
export const SHORT_SCRIPT = `
local call, floor, bytes = redis.call, math.floor, struct.pack
local values = call('MGET', unpack(KEYS))
if values[1] ~= ARGV[1] then return false end
local time = call('TIME')
local now = time[1] * 1000 + floor(time[2] / 1000)
local plan = cjson.decode(ARGV[2])
local month, length = plan[1], #plan
if month > 0 and (now < plan[2] or now >= plan[3]) then return false end

-- By counter: the present slot, hits of the newest slot, which slot that is, and hits of the older ones, which begin in the
-- value at start; or what the older ones will be.
local states, i, p = {}, 0, 4
while p <= length do
  local cost, final = plan[p], p + 1 + 2 * plan[p + 1]
  for m = p + 2, final, 2 do
    i = i + 1
    local seconds, value = plan[m], values[i + 1]
    local slot, count, newest, others, start, past = 0, 0, -1, 0, 1, ''
    if seconds == 0 then
      past = call('HGET', KEYS[i + 1], month)
      count = (past or 0) + 0
    else
      slot = floor(now * 60 / (seconds * 1000))
      ${READ_WINDOW}
    end
    if count + others + cost >= 9007199254740991 then return false end
    states[i] = {slot, count, newest, others, start, past}
  end
  p = final + 1
end

local reply, r, counts = {now}, 1, false
p, i = 4, 0
while p <= length do
  local cost, meters, admitted = plan[p], plan[p + 1], 1
  if cost > 0 then
    for m = 1, meters do
      local limit = plan[p + 1 + 2 * m]
      local state = states[i + m]
      if limit >= 0 and state[2] + state[4] + cost > limit then
        admitted = 0
        break
      end
    end
  end
  r = r + 1
  reply[r] = admitted
  counts = counts or admitted == 1 and cost > 0
  for m = 1, meters do
    i = i + 1
    local seconds, limit = plan[p + 2 * m], plan[p + 1 + 2 * m]
    local key, value = KEYS[i + 1], values[i + 1]
    local slot, count, newest, others, start, past = unpack(states[i], 1, 6)
    ${COUNT_AND_REPLY}
  end
  p = p + 2 + 2 * meters
end
if not counts then call('SET', KEYS[1], ARGV[1], 'PX', '${LONG_TTL}') end
return bytes('<' .. string.rep('d', r), unpack(reply))
`;
