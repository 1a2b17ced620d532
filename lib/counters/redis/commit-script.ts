/**
 * Decides one group of attempts as `evaluateGroup` does, inside Redis, in one call. Everything is read and evaluated
 * first and written at the end, so a refused write (OOM, READONLY) leaves nothing half done.
 *
 * KEYS[1] is the revision (see `parseStoredRevision`), KEYS[2..] are the counters. ARGV: the caller's revision, the
 * database's (-1: not read), what the caller has seen in KEYS[1] (before the database was read; where it was not read,
 * when that was the caller's revision), the installation, how long the stored revision is kept in ms, and the group as a
 * flat JSON array of numbers: how many counters, the window of each (`windowCode`), then for each attempt its cost, how many meters, and for each of them its counter (1, 2, ..) and its limit (-1 never refuses).
 *
 * Replies [-2, text] when the stored revision is not the caller's, or not the database's, and the database has to be
 * read (again); [-1, revision] when the database's is not the caller's; else [now in ms, doubles (little endian)], which
 * are for each attempt 1 and two numbers a meter (used, age of the newest slot), or 0 and three (and the age of the slot
 * whose leaving makes room). Ages count back from the present slot; -1: none. One string costs the caller a fifth of what
 * as many integers do. Where the caller has not seen it, what KEYS[1] holds comes third.
 *
 * A sliding window is a string: three doubles (little endian), which are the newest slot's hits, the newest slot and the
 * sum of the others, then the others as text, oldest first: `<slot>:<hits>;`. So a hit in the newest slot overwrites 8
 * bytes and leaves the expiry as it is, however many slots there are. Slots in the future (the clock went back) are
 * settled as by `slidingSettled`, and written so even when nothing is consumed. Earlier versions kept them, with a sum
 * of -1. Months are a hash: `<month>` is what counts, `f<month>` what resets have subtracted from it.
 */
export const COMMIT_SCRIPT = `
local MAX = 9007199254740991
local SLOTS = 60
local MONTH_TTL = 93 * 86400000
-- Most keys in one call of MGET, and numbers in one of pack: Lua passes up to 8,000 arguments.
local MOST = 4000
local call, format, match, gmatch, sub, floor, min = redis.call, string.format, string.match, string.gmatch, string.sub, math.floor, math.min
local bytes, numbers = struct.pack, struct.unpack

local plan = cjson.decode(ARGV[6])
local counters = plan[1]

-- All windows in one call, which returns nothing for a month: it is no string. The first is the revision.
local values = call('MGET', unpack(KEYS, 1, min(MOST, counters + 1)))
for first = MOST + 1, counters + 1, MOST do
  local some = call('MGET', unpack(KEYS, first, min(first + MOST - 1, counters + 1)))
  for j = 1, #some do values[first + j - 1] = some[j] end
end

local held, news = values[1] or '', nil
local newest, seen = tonumber(ARGV[2]), ARGV[3]
if newest >= 0 or held ~= seen then
  local planned, installation = tonumber(ARGV[1]), ARGV[4]
  local revision, writes, owner = match(held, '^(-?%d+) (%d+) (%S+)$')
  local stored = owner == installation and tonumber(revision) or -1
  if newest < 0 then
    if stored ~= planned then return {-2, held} end
  elseif stored ~= newest then
    -- The database is right, unless the key has changed since it was read.
    if held ~= seen then return {-2, held} end
    stored, held = newest, format('%.0f %.0f %s', newest, tonumber(writes or 0) + 1, installation)
  end
  call('SET', KEYS[1], held, 'PX', ARGV[5])
  if stored ~= planned then return {-1, stored} end
  news = held
end

local time = call('TIME')
local now = time[1] * 1000 + floor(time[2] / 1000)

-- Days to calendar, by years that begin in March.
local month, daysBefore, lastDay
local function calendar()
  local days = floor(now / 86400000) + 719468
  local era = floor(days / 146097)
  local doe = days - era * 146097
  local yoe = floor((doe - floor(doe / 1460) + floor(doe / 36524) - floor(doe / 146096)) / 365)
  local march = floor((5 * (doe - (365 * yoe + floor(yoe / 4) - floor(yoe / 100))) + 2) / 153)
  month = (yoe + era * 400) * 12 + march + 2
  -- Of the month that has begun: days before today, and its last day.
  local first = floor((153 * march + 2) / 5)
  daysBefore = doe - (365 * yoe + floor(yoe / 4) - floor(yoe / 100)) - first
  lastDay = floor((153 * (march + 1) + 2) / 5) - first
  if march == 11 then
    local year = floor(month / 12)
    lastDay = (year % 4 == 0 and (year % 100 ~= 0 or year % 400 == 0)) and 29 or 28
  end
end

-- The number of the month of a counter, see monthAt and windowCode.
local function monthOf(code)
  if not month then calendar() end
  if code == 0 then return month end
  local day = -code % 32
  local begun = daysBefore + 1 >= min(day, lastDay)
  return month + (-code - day) / 32 - 16 - (begun and 0 or 1)
end

-- By counter: what its window sees, what the present slot (or month) has, what the older ones have together, and the
-- newest slot with hits.
local used, hits, older, last, changed = {}, {}, {}, {}, {}
-- The stored text and where its older slots begin; or those slots as they will be written.
local text, from, past = {}, {}, {}
-- By window length: the present slot, and the TTL of a counter from it.
local slots, ttls = {}, {}

-- Whole numbers as text: most come again within a group.
local texts = {}
local function textOf(number)
  local made = texts[number]
  if not made then
    made = format('%.0f', number)
    texts[number] = made
  end
  return made
end

local function sum(list)
  local total = 0
  for count in gmatch(list, ':(%d+);') do total = total + tonumber(count) end
  return total
end

-- Slot by slot, because some lie in the future: those less than a window ahead move into the present slot; or because
-- the newest has no hits.
local function settle(i, slot, list)
  local before, seen, present, ahead = {}, 0, 0, 0
  last[i] = -1
  for at, count in gmatch(list, '(%d+):(%d+);') do
    local number, several = tonumber(at), tonumber(count)
    if several == 0 then
      -- No slot to wait for.
    elseif number > slot then
      if number <= slot + SLOTS then ahead = min(MAX, ahead + several) end
    elseif number == slot then
      present, last[i] = several, slot
    elseif number >= slot - SLOTS then
      before[#before + 1] = at .. ':' .. count .. ';'
      seen, last[i] = seen + several, number
    end
  end
  if ahead > 0 then last[i], changed[i] = slot, true end
  hits[i], older[i] = min(MAX, present + ahead), min(MAX, seen)
  used[i] = min(MAX, older[i] + hits[i])
  past[i] = table.concat(before)
end

-- The counter's newest slot is over: it joins the older ones, and expired ones are dropped.
local function shift(i, slot, newest, count, others)
  hits[i], used[i], older[i], last[i], past[i] = 0, 0, 0, -1, ''
  if newest < slot - SLOTS then return end
  local start, total = from[i], others
  while true do
    local at, gone, after = match(text[i], '^(%d+):(%d+);()', start)
    if not at or tonumber(at) >= slot - SLOTS then break end
    total, start = total - tonumber(gone), after
  end
  local rest = sub(text[i], start)
  if others >= MAX then total = sum(rest) end
  older[i] = min(MAX, total + count)
  used[i], last[i] = older[i], newest
  past[i] = rest .. textOf(newest) .. ':' .. textOf(count) .. ';'
end

local function slotOf(seconds)
  local slot = slots[seconds]
  if not slot then
    slot = floor(now * SLOTS / (seconds * 1000))
    slots[seconds] = slot
    ttls[seconds] = format('%.0f', math.ceil((SLOTS + 2) * seconds * 1000 / SLOTS))
  end
  return slot
end

for i = 1, counters do
  local seconds = plan[i + 1]
  if seconds > 0 then
    local slot = slotOf(seconds)
    local value = values[i + 1]
    if not value or #value < 24 then
      used[i], hits[i], older[i], last[i], past[i] = 0, 0, 0, -1, ''
    else
      local count, newest, others, start = numbers('<ddd', value)
      text[i], from[i] = value, start
      if newest == slot and others >= 0 and count > 0 then
        hits[i], used[i], last[i] = count, min(MAX, others + count), slot
      elseif others < 0 or newest > slot or count == 0 then
        settle(i, slot, sub(value, start) .. format('%.0f:%.0f;', newest, count))
      else
        shift(i, slot, newest, count, others)
      end
    end
  else
    local found = call('HGET', KEYS[i + 1], format('%.0f', monthOf(seconds)))
    used[i] = tonumber(found or 0)
    hits[i], text[i] = 0, found
  end
end

local function leaving(i, room)
  local seconds = plan[i + 1]
  if seconds <= 0 then return -1 end
  local slot, freed = slots[seconds], 0
  for at, count in gmatch(past[i] or sub(text[i], from[i]), '(%d+):(%d+);') do
    freed = freed + tonumber(count)
    if freed >= room then return slot - tonumber(at) end
  end
  return freed + hits[i] >= room and 0 or -1
end

local reply, r = {}, 0
local p, length = counters + 2, #plan
while p <= length do
  local cost, first = plan[p], p + 2
  local final = p + 1 + plan[p + 1] * 2
  local admitted = 1
  if cost > 0 then
    for m = first, final, 2 do
      local limit = plan[m + 1]
      if limit >= 0 and used[plan[m]] + cost > limit then
        admitted = 0
        break
      end
    end
    if admitted == 1 then
      for m = first, final, 2 do
        local i, again = plan[m], false
        for before = first, m - 2, 2 do
          if plan[before] == i then again = true end
        end
        if not again then
          used[i], hits[i], changed[i] = min(MAX, used[i] + cost), min(MAX, hits[i] + cost), true
          last[i] = slots[plan[i + 1]]
        end
      end
    end
  end
  r = r + 1
  reply[r] = admitted
  for m = first, final, 2 do
    local i = plan[m]
    local seen, newest = used[i], last[i]
    reply[r + 1] = seen
    reply[r + 2] = newest and seen > 0 and slots[plan[i + 1]] - newest or -1
    r = r + 2
    if admitted == 0 then
      r = r + 1
      local limit = plan[m + 1]
      local room = seen + cost - limit
      reply[r] = limit >= 0 and room > 0 and leaving(i, room) or -1
    end
  end
  p = final + 1
end

local wrote = news
for i = 1, counters do
  if changed[i] then
    wrote = true
    local seconds, key = plan[i + 1], KEYS[i + 1]
    if seconds <= 0 then
      local number = monthOf(seconds)
      call('HSET', key, format('%.0f', number), format('%.0f', used[i]))
      if not text[i] then
        call('HDEL', key, number - 13, 'f' .. (number - 13))
        call('PEXPIRE', key, MONTH_TTL)
      end
    elseif not past[i] then
      call('SETRANGE', key, '0', bytes('<d', hits[i]))
    else
      call('SET', key, bytes('<ddd', hits[i], slots[seconds], older[i]) .. past[i], 'PX', ttls[seconds])
    end
  end
end

-- So that a replica, or a server that is full, refuses this as well.
if not wrote then call('SET', KEYS[1], held, 'PX', ARGV[5]) end

local packed = ''
for first = 1, r, MOST do
  local final = min(first + MOST - 1, r)
  packed = packed .. bytes('<' .. string.rep('d', final - first + 1), unpack(reply, first, final))
end
return {now, packed, news}
`;
