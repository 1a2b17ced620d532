-- Asks Sluice about every request (LuaHookAccessChecker): it goes on, or it is answered with the refusal. An answer
-- without X-RateLimit-Status is no decision; then the request is answered with 503, or goes on with SLUICE_FAIL_OPEN.
-- Gives back what a request consumed whose answer does not count by its route rule (LuaHookLog).

local http = require "socket.http"
local ltn12 = require "ltn12"
local socket = require "socket"

-- Of the role gateway.
local TOKEN = assert(os.getenv("SLUICE_TOKEN"), "SLUICE_TOKEN is not set")

-- Seconds. Sluice itself waits a little less for its store before it decides without it.
local CONNECT_WITHIN, ANSWER_WITHIN = 0.25, 5

-- What the client is told, with a refusal and with the answer of the application; and with a refusal alone.
local DECISION = {
  "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Status",
  "X-Quota-Limit", "X-Quota-Remaining", "X-Quota-Reset", "RateLimit", "RateLimit-Policy",
}
local REFUSAL = {
  "Cache-Control", "Retry-After", "WWW-Authenticate", "X-Request-Id", "Vary",
  "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Expose-Headers",
}
local UNDECIDED = '{"error":"service_unavailable","error_description":"No decision can be had at the moment."}'

-- Of err_headers_out, which the answer of the application does not replace.
local function tell(r, names, headers)
  for _, name in ipairs(names) do
    local value = headers[name:lower()]
    if value ~= nil and value ~= "" then r.err_headers_out[name] = value end
  end
end

local function answer(r, status, content_type, body)
  r.status = status
  r.content_type = content_type
  if r.method ~= "HEAD" then r:write(body) end
  return apache2.DONE
end

-- A connection that is bounded in time: socket.http sets one limit for all that it does.
local function connection()
  local tcp = socket.tcp()
  return setmetatable({}, {
    __index = function(_, name)
      if name == "settimeout" then return function() return 1 end end
      return function(_, ...)
        tcp:settimeout(name == "connect" and CONNECT_WITHIN or ANSWER_WITHIN)
        return tcp[name](tcp, ...)
      end
    end,
  })
end

local function ask(r)
  local sent = {
    ["X-Admin-Token"] = TOKEN,
    ["X-Forwarded-For"] = r.useragent_ip,
    ["X-Forwarded-Method"] = r.method,
    -- Without the origin that a client may write before the path.
    ["X-Forwarded-Uri"] = r.unparsed_uri:gsub("^%a[%w+.-]*://[^/?]*", ""),
  }
  for _, name in ipairs({ "X-API-Key", "X-Request-Id", "Accept", "Origin", "Access-Control-Request-Method" }) do
    sent[name] = r.headers_in[name]
  end
  local parts = {}
  local asked, status, headers = http.request({
    url = "http://" .. r.subprocess_env["SLUICE_ADDRESS"] .. "/v1/forward-auth",
    headers = sent,
    sink = ltn12.sink.table(parts),
    create = connection,
    redirect = false,
  })
  if not asked or headers["x-ratelimit-status"] == nil then return nil end
  return { status = status, headers = headers, body = table.concat(parts) }
end

function decide(r)
  -- Not of what Apache does within a request, such as an ErrorDocument.
  if not r.is_initial_req then return apache2.DECLINED end
  local decision = ask(r)
  if decision == nil then
    if r.subprocess_env["SLUICE_FAIL_OPEN"] == "on" then return apache2.DECLINED end
    r.err_headers_out["Retry-After"] = "2"
    r.err_headers_out["Cache-Control"] = "no-store"
    return answer(r, 503, "application/json; charset=utf-8", UNDECIDED)
  end
  tell(r, DECISION, decision.headers)
  if decision.status == 200 then
    local counts, id = decision.headers["x-ratelimit-counts"], decision.headers["x-ratelimit-refund-id"]
    if counts ~= nil and id ~= nil and id ~= "" then
      r.notes["sluice-counts"] = counts
      r.notes["sluice-refund"] = id
    end
    return apache2.DECLINED
  end
  tell(r, REFUSAL, decision.headers)
  return answer(r, decision.status, decision.headers["content-type"], decision.body)
end

-- Once the client has its answer.
function settle(r)
  local counts, id = r.notes["sluice-counts"], r.notes["sluice-refund"]
  if counts == nil or id == nil then return apache2.DECLINED end
  local outcome = r.status >= 400 and "failures" or "successes"
  if outcome == counts then return apache2.DECLINED end
  local body = '{"id":"' .. id .. '"}'
  http.request({
    url = "http://" .. r.subprocess_env["SLUICE_ADDRESS"] .. "/v1/refund",
    method = "POST",
    headers = {
      ["X-Admin-Token"] = TOKEN,
      ["Content-Type"] = "application/json",
      ["Content-Length"] = tostring(#body),
    },
    source = ltn12.source.string(body),
    create = connection,
    redirect = false,
  })
  return apache2.DECLINED
end
