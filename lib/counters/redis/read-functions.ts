/**
 * Lua functions that read keys which another program may have replaced or damaged. Such a counter counts as empty, and
 * the next write replaces it, so it stops no other decision.
 *
 * - `getText(key)` returns a string, or false.
 * - `getField(key, field)` returns a whole number of a hash as text, or false. It deletes a key of another type, which
 *   could not be written.
 * - `requireHash(key)` deletes a key of another type.
 */
export const READ_FUNCTIONS = `
local function getText(key)
  return redis.call('MGET', key)[1]
end

local function getField(key, field)
  local found = redis.pcall('HGET', key, field)
  if type(found) == 'table' then redis.call('UNLINK', key) end
  return type(found) == 'string' and string.match(found, '^%d+$') or false
end

local function requireHash(key)
  getField(key, '')
end
`;
