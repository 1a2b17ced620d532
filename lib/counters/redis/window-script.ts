/**
 * Reads a sliding window as `COMMIT_SCRIPT` stores it, for a script that counts in its present slot. Ends the script with
 * nil where only `COMMIT_SCRIPT` can tell: when the clock went back, or when sums are too large to be exact.
 *
 * Takes the locals `value` (what is stored), `slot` (the present one), `count` 0, `newest` -1, `others` 0, `start` 1 and
 * `past` ''. Leaves in `count` the hits of the present slot, in `others` those of the older ones that the window sees, and
 * in `past` how the older ones will be stored; or nil where the newest slot is the present one, so that they stay as they
 * are, from `start` on.
 */
export const READ_WINDOW = `if value and #value >= 24 then
  count, newest, others, start = struct.unpack('<ddd', value)
  if others < 0 or others + count >= 9007199254740991 or newest > slot then return false end
  if newest == slot then
    past = nil
  elseif newest < slot - 60 then
    count, newest, others = 0, -1, 0
  else
    while true do
      local at, gone, after = string.match(value, '^(%d+):(%d+);()', start)
      if not at or at + 0 >= slot - 60 then break end
      others, start = others - gone, after
    end
    past = string.sub(value, start) .. string.format('%.0f:%.0f;', newest, count)
    others, count = others + count, 0
  end
end`;

/**
 * Counts the cost of an attempt in one counter and adds to the reply what `COMMIT_SCRIPT` replies of a meter.
 *
 * Takes the locals `admitted`, `cost`, `key`, `value` (what is stored), `seconds` (0: a month), `limit`, `month`, and what
 * was read of the counter (`slot`, `count`, `newest`, `others`, `start` and `past`; of a month `count`, and in `past` whether
 * it is there). Adds to `reply`, whose length is `r`.
 */
export const COUNT_AND_REPLY = `if admitted == 1 and cost > 0 then
  count, newest = count + cost, slot
  if seconds == 0 then
    call('HSET', key, month, string.format('%.0f', count))
    if not past then
      call('HDEL', key, month - 13, 'f' .. (month - 13))
      call('PEXPIRE', key, 93 * 86400000)
    end
  elseif past then
    local ttl = string.format('%.0f', math.ceil(62 * seconds * 1000 / 60))
    call('SET', key, bytes('<ddd', count, slot, others) .. past, 'PX', ttl)
  else
    call('SETRANGE', key, '0', bytes('<d', count))
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
    local older, freed = past or string.sub(value or '', start), 0
    for at, hits in string.gmatch(older, '(%d+):(%d+);') do
      freed = freed + hits
      if freed >= room then
        reply[r] = slot - at
        break
      end
    end
    if freed < room and freed + count >= room then reply[r] = 0 end
  end
end`;
