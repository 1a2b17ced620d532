import { VISIBLE_SLOTS } from '@/lib/limiter/window';

/**
 * Lua functions for sliding windows. Scripts begin with them.
 *
 * A window is stored as a string. It begins with three doubles (little endian): the hits of the newest slot, the number
 * of that slot, and the sum of the older slots. The older slots follow as text, oldest first: `<slot>:<hits>;`. A hit
 * in the newest slot therefore overwrites 8 bytes and keeps the expiry, regardless of the number of slots.
 *
 * `readWindow` fills the tables for the counter with number `i`. There is one table of numbers per field instead of one
 * table per counter, because Lua takes a third longer for those.
 */
export const WINDOW_FUNCTIONS = `
local MAX, SLOTS = 9007199254740991, 60
-- 13 months are kept.
local MONTH_TTL = 93 * 86400000
local pack, unpackDoubles, format, match, gmatch = struct.pack, struct.unpack, string.format, string.match, string.gmatch
local min, floor, sub = math.min, math.floor, string.sub

-- By counter: the present slot and its hits, the hits of the older slots together, the newest slot with hits (-1: none),
-- what the window sees, and whether it has to be written.
local present, hits, older, newest, used, isChanged = {}, {}, {}, {}, {}, {}
-- The text of the older slots if it has changed; else they stand in the stored value from the start on.
local list, stored, start = {}, {}, {}

-- Reads slot by slot, as settleSliding does: hits up to a window ahead (the clock went back) count in the present slot.
-- Sums that are too large to be exact are added up again.
local function recount(i, slots)
  local slot, kept, ahead = present[i], {}, 0
  for at, several in gmatch(slots, '(%d+):(%d+);') do
    at, several = tonumber(at), tonumber(several)
    if at > slot and at <= slot + SLOTS then
      ahead = min(MAX, ahead + several)
    elseif at == slot then
      hits[i] = several
    elseif at < slot and at >= slot - SLOTS then
      kept[#kept + 1] = format('%.0f:%.0f;', at, several)
      older[i], newest[i] = min(MAX, older[i] + several), at
    end
  end
  hits[i] = min(MAX, hits[i] + ahead)
  if hits[i] > 0 then newest[i] = slot end
  list[i], isChanged[i] = table.concat(kept), ahead > 0
end

-- Moves a newest slot that has ended to the older ones, and drops those that the window does not see any more.
local function shift(i, value, last, count, others, from)
  while true do
    local at, gone, after = match(value, '^(%d+):(%d+);()', from)
    if not at or tonumber(at) >= present[i] - SLOTS then break end
    others, from = others - gone, after
  end
  older[i], newest[i] = others + count, last
  list[i] = sub(value, from) .. format('%.0f:%.0f;', last, count)
end

local function readWindow(i, value, slot)
  present[i], hits[i], older[i], newest[i], used[i], list[i] = slot, 0, 0, -1, 0, ''
  if not value or #value < 24 then return end
  local count, last, others, from = unpackDoubles('<ddd', value)
  if last > slot or others < 0 or others + count >= MAX then
    recount(i, sub(value, from) .. format('%.0f:%.0f;', last, count))
  elseif last == slot then
    hits[i], older[i], newest[i], list[i], stored[i], start[i] = count, others, slot, nil, value, from
  elseif last >= slot - SLOTS then
    shift(i, value, last, count, others, from)
  end
  used[i] = min(MAX, older[i] + hits[i])
end

-- Counts in the present slot.
local function addHits(i, cost)
  hits[i], used[i] = min(MAX, hits[i] + cost), min(MAX, used[i] + cost)
  newest[i], isChanged[i] = present[i], true
end

local function ttlOf(seconds)
  return format('%.0f', math.ceil(${VISIBLE_SLOTS + 1} * seconds * 1000 / SLOTS))
end

local function writeWindow(i, key, seconds)
  if list[i] then
    redis.call('SET', key, pack('<ddd', hits[i], present[i], older[i]) .. list[i], 'PX', ttlOf(seconds))
  else
    redis.call('SETRANGE', key, '0', pack('<d', hits[i]))
  end
end
`;
