import { LONG_TTL } from '@/lib/counters/redis/keys';
import { SETTLE_FUNCTION } from '@/lib/counters/redis/settle-script';
import { WINDOW_FUNCTIONS } from '@/lib/counters/redis/window-script';

/**
 * Settles and decides a group like `evaluateGroup`, in one call. A server that is full, or a replica, refuses the first
 * write of a script. Either that is the record of a settlement, or everything was evaluated before. So nothing is left
 * half done.
 *
 * KEYS[1] is the revision, and the counters of the attempts follow. Then follow the records and counters of the
 * settlements. ARGV[1] is the text that the caller has seen in KEYS[1]. ARGV[2]
 * is the plan, a JSON object:
 *
 * - `windows`: each `[seconds]`, or for a month `[0, number, first ms, first ms of the next]`.
 * - `counters`: the number of the window of each counter.
 * - `attempts`: each `[cost, counter, limit, counter, limit, ...]`. A limit of -1 never refuses. If the counters have
 * different costs, the first element is a list with one cost per counter.
 * - `settlements`: see `SETTLE_FUNCTION`. Absent if there are none.
 *
 * `WINDOW_FUNCTIONS` describes the form of a window. The months of a counter are a hash: `<month>` is the count,
 * `f<month>` is the part that resets have subtracted.
 *
 * The script replies one of these:
 *
 * - An array with the revision, if it differs from what the caller has seen. Nothing is changed.
 * - An integer, the time in ms, if a month of the plan is not the current one. Nothing is changed.
 * - A string of doubles (little endian): the time, 1 or 0 for each settlement, then the result of each attempt. An
 *   admitted attempt is 1 and two numbers per meter (used, age of the newest slot). A refused one is 0 and three numbers
 *   per meter (also the age of the slot that must leave to make room). Ages count back from the current slot; -1 means
 *   none.
 */
export const COMMIT_SCRIPT = `
${WINDOW_FUNCTIONS}
${SETTLE_FUNCTION}
-- Most arguments of one call: Lua allows 8,000.
local MOST = 4000
local call = redis.call

-- Reads all windows in one call. It returns nothing for a month, which is no string.
local function readValues()
  if #KEYS <= MOST then return call('MGET', unpack(KEYS)) end
  local values = {}
  for first = 1, #KEYS, MOST do
    local part = call('MGET', unpack(KEYS, first, min(first + MOST - 1, #KEYS)))
    for i = 1, #part do values[first + i - 1] = part[i] end
  end
  return values
end

local function readMonth(i, key, month)
  local found = getField(key, month)
  stored[i], used[i], hits[i] = found, tonumber(found or 0), 0
end

local function writeMonth(i, key, month)
  call('HSET', key, month, format('%.0f', used[i]))
  if not stored[i] then
    call('HDEL', key, month - 13, 'f' .. month - 13)
    call('PEXPIRE', key, MONTH_TTL)
  end
end

-- The functions below get the cost of the attempt, or the costs of its counters.
local function fits(attempt, cost, costs)
  for m = 2, #attempt, 2 do
    local own, limit = costs and costs[m / 2] or cost, attempt[m + 1]
    if own > 0 and limit >= 0 and used[attempt[m]] + own > limit then return false end
  end
  return true
end

-- Counts an attempt once in each of its counters, however many of its meters name it.
local countedBy = {}
local function consume(attempt, cost, costs)
  for m = 2, #attempt, 2 do
    local i, own = attempt[m], costs and costs[m / 2] or cost
    if own > 0 and countedBy[i] ~= attempt then
      countedBy[i] = attempt
      addHits(i, own)
    end
  end
end

-- The age of the slot that has to leave so that so many hits are gone. Months have no slots.
local function ageOfRoom(i, count)
  if count <= 0 or not present[i] then return -1 end
  local gone = 0
  for at, several in gmatch(list[i] or sub(stored[i], start[i]), '(%d+):(%d+);') do
    gone = gone + several
    if gone >= count then return present[i] - at end
  end
  return gone + hits[i] >= count and 0 or -1
end

-- Adds the verdict on an attempt to the reply.
local reply, r = {}, 0
local function report(attempt, admitted, cost, costs)
  r = r + 1
  reply[r] = admitted and 1 or 0
  for m = 2, #attempt, 2 do
    local i, limit = attempt[m], attempt[m + 1]
    reply[r + 1] = used[i]
    reply[r + 2] = present[i] and used[i] > 0 and present[i] - newest[i] or -1
    r = r + 2
    if not admitted then
      r = r + 1
      local own = costs and costs[m / 2] or cost
      reply[r] = limit >= 0 and ageOfRoom(i, used[i] + own - limit) or -1
    end
  end
end

local function packReply(now)
  local packed = pack('<d', now)
  for first = 1, r, MOST do
    local last = min(first + MOST - 1, r)
    packed = packed .. pack('<' .. string.rep('d', last - first + 1), unpack(reply, first, last))
  end
  return packed
end

local values = readValues()
if values[1] ~= ARGV[1] then return {values[1] or ''} end
local time = call('TIME')
local now = time[1] * 1000 + floor(time[2] / 1000)

local plan = cjson.decode(ARGV[2])
local windows, counters = plan.windows, plan.counters
for _, window in ipairs(windows) do
  local seconds, month, first, next = unpack(window)
  if month and (now < first or now >= next) then return now end
  window.slot = not month and floor(now * SLOTS / (seconds * 1000))
end

local isWritten = false
if plan.settlements then
  isWritten = true
  for _, one in ipairs(settle(plan.settlements, now)) do
    r = r + 1
    reply[r] = one
  end
  if #counters > 0 then values = readValues() end
end

for i, w in ipairs(counters) do
  local slot = windows[w].slot
  if slot then readWindow(i, values[i + 1], slot) else readMonth(i, KEYS[i + 1], windows[w][2]) end
end

for _, attempt in ipairs(plan.attempts) do
  local cost = attempt[1]
  local costs = type(cost) == 'table' and cost
  local admitted = fits(attempt, cost, costs)
  if admitted then consume(attempt, cost, costs) end
  report(attempt, admitted, cost, costs)
end

for i, w in ipairs(counters) do
  if isChanged[i] then
    isWritten = true
    local seconds, month = unpack(windows[w])
    if month then writeMonth(i, KEYS[i + 1], month) else writeWindow(i, KEYS[i + 1], seconds) end
  end
end
-- A replica, or a server that is full, refuses to decide: it has to write something.
if not isWritten then call('SET', KEYS[1], ARGV[1], 'PX', ${LONG_TTL}) end
return packReply(now)
`;
