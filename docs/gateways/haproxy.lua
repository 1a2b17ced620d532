-- Asks Sluice about every request that passes `http-request lua.sluice`: it goes on, or it is answered with the
-- refusal. An answer without X-RateLimit-Status is no decision; then txn.sluice_undecided is set, for haproxy.cfg.
-- `http-response lua.sluice_settle` gives back what a request consumed whose answer does not count by its route rule.

-- A token of the role gateway, from the environment or a file.
local function token()
  local path = os.getenv("SLUICE_TOKEN_FILE")
  if path == nil then return assert(os.getenv("SLUICE_TOKEN"), "SLUICE_TOKEN is not set") end
  local file = assert(io.open(path))
  local text = file:read("l")
  file:close()
  return text
end

local TOKEN = token()

-- Where haproxy.cfg listens for these questions. The host in the address is only a name.
local LISTENER = "unix@" .. (os.getenv("SLUICE_SOCKET") or "/run/haproxy/sluice.sock")
local ADDRESS = "http://sluice/v1/forward-auth"
local REFUND = "http://sluice/v1/refund"

-- Headers of a decision -> the variable from which haproxy.cfg puts each on the application's answer. The client gets
-- them with a refusal as well, and PASSED beside them.
local DECISION = {
  ["X-RateLimit-Limit"] = "txn.sluice_limit",
  ["X-RateLimit-Remaining"] = "txn.sluice_remaining",
  ["X-RateLimit-Reset"] = "txn.sluice_reset",
  ["X-RateLimit-Status"] = "txn.sluice_status",
  ["X-Quota-Limit"] = "txn.sluice_quota_limit",
  ["X-Quota-Remaining"] = "txn.sluice_quota_remaining",
  ["X-Quota-Reset"] = "txn.sluice_quota_reset",
  ["RateLimit"] = "txn.sluice_ratelimit",
  ["RateLimit-Policy"] = "txn.sluice_ratelimit_policy",
}
local PASSED = {
  "Content-Type", "Cache-Control", "Retry-After", "WWW-Authenticate", "X-Request-Id", "Vary",
  "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Access-Control-Expose-Headers",
}

local function value_of(headers, name)
  local values = headers[name:lower()]
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
  for _, name in ipairs({ "x-api-key", "x-request-id", "accept", "origin", "access-control-request-method" }) do
    local values = all_of(sent, name)
    if #values > 0 then headers[name] = values end
  end
  return headers
end

-- The fields that a client's Connection names end here (RFC 9110 section 7.6.1); HAProxy would pass them on.
local KEPT = { ["close"] = true, ["content-length"] = true, ["host"] = true, ["te"] = true, ["transfer-encoding"] = true, ["upgrade"] = true }
local function remove_hop_by_hop(txn)
  for _, value in ipairs(all_of(txn.http:req_get_headers(), "connection")) do
    for name in value:lower():gmatch("[^%s,]+") do
      if not KEPT[name] then txn.http:req_del_header(name) end
    end
  end
end

core.register_action("sluice", { "http-req" }, function(txn)
  local client = core.httpclient()
  local asked, decision = pcall(client.get, client, { url = ADDRESS, dst = LISTENER, headers = question(txn) })
  local headers = asked and decision.headers or {}
  remove_hop_by_hop(txn)
  if headers["x-ratelimit-status"] == nil then return txn:set_var("txn.sluice_undecided", true) end
  if decision.status ~= 200 then
    local passed = {}
    for name in pairs(DECISION) do passed[name] = value_of(headers, name) end
    for _, name in ipairs(PASSED) do passed[name] = value_of(headers, name) end
    return answer(txn, decision.status, passed, decision.body)
  end
  for name, variable in pairs(DECISION) do
    local value = value_of(headers, name)
    if value ~= nil then txn:set_var(variable, value) end
  end
  local counts = value_of(headers, "X-RateLimit-Counts")
  if counts ~= nil then
    txn:set_var("txn.sluice_counts", counts)
    txn:set_var("txn.sluice_refund", value_of(headers, "X-RateLimit-Refund-Id"))
  end
end)

-- In a task of its own: the client does not wait for it, and gets its answer also where Sluice is down.
local function refund(id)
  local client = core.httpclient()
  pcall(client.post, client, {
    url = REFUND,
    dst = LISTENER,
    headers = { ["x-admin-token"] = { TOKEN }, ["content-type"] = { "application/json" } },
    body = '{"id":"' .. id .. '"}',
  })
end

core.register_action("sluice_settle", { "http-res" }, function(txn)
  local counts, id = txn:get_var("txn.sluice_counts"), txn:get_var("txn.sluice_refund")
  if counts == nil or id == nil then return end
  local outcome = tonumber(txn.sf:status()) >= 400 and "failures" or "successes"
  if outcome ~= counts then core.register_task(function() refund(id) end) end
end)
