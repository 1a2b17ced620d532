import { LONG_TTL } from '@/lib/counters/redis/keys';
import { READ_WINDOW } from '@/lib/counters/redis/window-script';

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
local slots, counts, newests, olders, starts, pasts = {}, {}, {}, {}, {}, {}
local p, i = 4, 1
while p <= length do
  local cost, final = plan[p], p + 1 + 2 * plan[p + 1]
  for m = p + 2, final, 2 do
    i = i + 1
    local seconds, value = plan[m], values[i]
    local slot, count, newest, others, start, past = 0, 0, -1, 0, 1, ''
    if seconds == 0 then
      past = call('HGET', KEYS[i], month)
      count = (past or 0) + 0
    else
      slot = floor(now * 60 / (seconds * 1000))
      ${READ_WINDOW}
    end
    if count + others + cost >= 9007199254740991 then return false end
    slots[i], counts[i], newests[i], olders[i], starts[i], pasts[i] = slot, count, newest, others, start, past
  end
  p = final + 1
end

local reply, r, wrote = {now}, 1, false
p, i = 4, 1
while p <= length do
  local cost, meters, admitted = plan[p], plan[p + 1], 1
  if cost > 0 then
    for m = 1, meters do
      local limit = plan[p + 1 + 2 * m]
      if limit >= 0 and counts[i + m] + olders[i + m] + cost > limit then
        admitted = 0
        break
      end
    end
  end
  r = r + 1
  reply[r] = admitted
  for m = 1, meters do
    i = i + 1
    local seconds, limit = plan[p + 2 * m], plan[p + 1 + 2 * m]
    local slot, count, newest, others, past = slots[i], counts[i], newests[i], olders[i], pasts[i]
    if admitted == 1 and cost > 0 then
      count, newest, wrote = count + cost, slot, true
      if seconds == 0 then
        call('HSET', KEYS[i], month, string.format('%.0f', count))
        if not past then
          call('HDEL', KEYS[i], month - 13, 'f' .. (month - 13))
          call('PEXPIRE', KEYS[i], 93 * 86400000)
        end
      elseif past then
        local ttl = string.format('%.0f', math.ceil(62 * seconds * 1000 / 60))
        call('SET', KEYS[i], bytes('<ddd', count, slot, others) .. past, 'PX', ttl)
      else
        call('SETRANGE', KEYS[i], '0', bytes('<d', count))
      end
    end
    local used = count + others
    reply[r + 1] = used
    reply[r + 2] = seconds > 0 and used > 0 and slot - newest or -1
    r = r + 2
    if admitted == 0 then
      r = r + 1
      reply[r] = -1
      local room = used + cost - limit
      if limit >= 0 and room > 0 and seconds > 0 then
        -- Months have no older slots to wait for.
        local older, freed = past or string.sub(values[i] or '', starts[i]), 0
        for at, hits in string.gmatch(older, '(%d+):(%d+);') do
          freed = freed + hits
          if freed >= room then
            reply[r] = slot - at
            break
          end
        end
        if freed < room and freed + count >= room then reply[r] = 0 end
      end
    end
  end
  p = p + 2 + 2 * meters
end
if not wrote then call('SET', KEYS[1], ARGV[1], 'PX', '${LONG_TTL}') end
return bytes('<' .. string.rep('d', r), unpack(reply))
`;
