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
