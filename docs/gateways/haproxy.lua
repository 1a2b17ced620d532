-- Asks Sluice about every request that passes `http-request lua.sluice`: it goes on, or it is answered with the
-- refusal. An answer without X-RateLimit-Status is no decision; then the request is answered with 503.

local TOKEN = assert(os.getenv("SLUICE_TOKEN"), "SLUICE_TOKEN holds a token of the role gateway")

-- Where haproxy.cfg listens for these questions. The host in the address is only a name.
local LISTENER = "unix@" .. (os.getenv("SLUICE_SOCKET") or "/run/haproxy/sluice.sock")
local ADDRESS = "http://sluice/v1/forward-auth"

-- Header of the answer -> variable from which haproxy.cfg puts it on the application's answer.
local TOLD = {
  ["x-ratelimit-limit"] = "txn.sluice_limit",
  ["x-ratelimit-remaining"] = "txn.sluice_remaining",
  ["x-ratelimit-reset"] = "txn.sluice_reset",
  ["x-ratelimit-status"] = "txn.sluice_status",
  ["x-quota-limit"] = "txn.sluice_quota_limit",
  ["x-quota-remaining"] = "txn.sluice_quota_remaining",
  ["x-quota-reset"] = "txn.sluice_quota_reset",
}

-- Header of a refusal that reaches the client -> its name there.
local PASSED = {
  ["content-type"] = "Content-Type",
  ["cache-control"] = "Cache-Control",
  ["retry-after"] = "Retry-After",
  ["www-authenticate"] = "WWW-Authenticate",
  ["x-request-id"] = "X-Request-Id",
  ["x-ratelimit-limit"] = "X-RateLimit-Limit",
  ["x-ratelimit-remaining"] = "X-RateLimit-Remaining",
  ["x-ratelimit-reset"] = "X-RateLimit-Reset",
  ["x-ratelimit-status"] = "X-RateLimit-Status",
  ["x-quota-limit"] = "X-Quota-Limit",
  ["x-quota-remaining"] = "X-Quota-Remaining",
  ["x-quota-reset"] = "X-Quota-Reset",
}

local UNDECIDED = '{"error":"service_unavailable","error_description":"No decision can be had at the moment."}'

local function value_of(headers, name)
  local values = headers and headers[name]
  local value = values and values[0]
  if value == nil or value == "" then return nil end
  return value
end

-- Every value that a client sends counts: Sluice refuses two different keys.
local function all_of(headers, name)
  local found = {}
  for index = 0, 8 do
    local value = headers[name] and headers[name][index]
    if value == nil then break end
    found[#found + 1] = value
  end
  return found
end

local function answer(txn, status, headers, body)
  local reply = txn:reply({ status = status })
  for name, value in pairs(headers) do reply:add_header(name, value) end
  reply:set_body(body)
  txn:done(reply)
end

local function question(txn)
  local sent = txn.http:req_get_headers()
  local headers = {
    ["x-admin-token"] = { TOKEN },
    ["x-forwarded-for"] = { txn.sf:src() },
    ["x-forwarded-method"] = { txn.sf:method() },
    ["x-forwarded-uri"] = { txn.sf:pathq() },
  }
  for _, name in ipairs({ "x-api-key", "x-request-id", "accept" }) do
    local values = all_of(sent, name)
    if #values > 0 then headers[name] = values end
  end
  return headers
end

core.register_action("sluice", { "http-req" }, function(txn)
  local client = core.httpclient()
  local asked, decision = pcall(client.get, client, { url = ADDRESS, dst = LISTENER, headers = question(txn) })
  local headers = asked and decision.headers or {}
  if headers["x-ratelimit-status"] == nil then
    return answer(txn, 503, {
      ["Content-Type"] = "application/json; charset=utf-8",
      ["Cache-Control"] = "no-store",
      ["Retry-After"] = "2",
    }, UNDECIDED)
  end
  if decision.status ~= 200 then
    local passed = {}
    for name, told in pairs(PASSED) do passed[told] = value_of(headers, name) end
    return answer(txn, decision.status, passed, decision.body)
  end
  for name, variable in pairs(TOLD) do
    local value = value_of(headers, name)
    if value ~= nil then txn:set_var(variable, value) end
  end
end)
