/** Descriptions of commands whose contract describes HTTP. Empty if the summary suffices. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'allowlist add':
    'Matching requests are never rate limited from the next decision on; monthly quotas still count. An existing entry keeps its id and gets the new reason and end.',
  'allowlist list': 'Newest first, unless --sort says otherwise.',
  'overrides list': 'Newest first, unless --sort says otherwise.',
  'limits reset':
    'An IPv6 address is counted with its /64, so the counters of the whole /64 are cleared; a range clears those of every address in it. Quotas are reset only with --quota, for an API key. Cleared counters can be restored for 15 minutes, unless there are more than 10,000.',
  'policies set':
    'Changes only the limits that you name. Counters are kept; a window of a different length starts empty. `sluice policies dry-run` with the same options shows the traffic that a change would affect.',
  'policies dry-run':
    'Changes nothing: the last whole hour is replayed against each limit that you name. Requests are recorded in ten-second steps for the 64 busiest identifiers of every minute and limit, so each result is a lower and an upper bound for these, plus a count of all other requests. Bounds are in units: a request counts as much as it costs. Where requests cost more than 1, a limit can refuse up to the cost of one request more in each window. Callers that would have behaved differently after a refusal are not modelled.',
  'keys create': 'Prints the secret, which is never shown again.',
  'keys get': 'A revoked key can still be read.',
  'keys list': 'Newest first, unless --sort says otherwise. --sort runs_out_at shows first what is used up or will be.',
  'keys rotate':
    'The old secret stops at once, or after --grace-seconds. Only one old secret has a grace period; an earlier one stops at once.',
  'keys update': 'What you do not name stays as it is. `sluice quota tier` changes the tier.',
  'quota tier': 'The new limit applies from the next decision on. A change to free ends overage.',
  'quota get': '',
  'quota list': 'Oldest key first; includes expired keys, not revoked ones.',
  'quota own': 'Of the key in SLUICE_API_KEY. Needs no token, and consumes no quota.',
  'quota reset': 'The usage becomes zero; the history stays.',
  'grants list': 'Newest first, unless --sort says otherwise. Removed grants are never listed.',
  'grants add':
    "Adds to the key's monthly limit from the next decision on, and ends by itself, to the second. Several grants of one key add up. A change of its tier leaves them alone.",
  batch:
    'Runs the items in sequence, each like its single command, with its own audit record. A refused item does not stop the others; its error is in the answer. An item has the body of the single API call.',
  'statistics decisions':
    'The last hour by minute, unless --since, --before and --step say otherwise. Counts lag about a second behind the decisions. Minutes are kept for 2 days, hours for 60 days, days for 2 years.',
  'decisions list':
    'Newest first. Decisions appear about a second after they were made. Allowed requests are counted but not listed. Under attack at most 100 per second, and 10 per second of one identifier, are kept; `sluice statistics decisions` counts all.',
  'decisions callers':
    'Groups the logged decisions by caller, with the same filters, most refused first. The log holds at most 10 decisions per second of one identifier, so counts can be too low under attack.',
  'state release':
    'Removes only the mark `managed`, so that the console stops warning. If a file still names the object, the next apply of that file sets and marks it again.',
  'audit list': 'Newest first.',
  'audit undo':
    'Restores exactly the previous state: the same id, creator, reason and expiry. It needs the role that the change needed. It is possible until a newer change affects the same object. A reset of counters or of a quota can be undone for 15 minutes, and usage since then is kept. The undo is itself a change and can be undone too.',
  'tokens list': 'Newest first, unless --sort says otherwise; includes expired tokens, not revoked ones.',
  'members invite':
    'Prints an invitation: a one-time link by which the person sets a password. If people can sign in with a provider, an invitation is printed only with --invitation, because an account with this verified e-mail address suffices.',
  'members list': 'By e-mail address, unless --sort says otherwise.',
  'members update':
    "What you do not name stays as it is. A role applies from the member's next request on; a new password ends the member's other sessions. The last owner keeps the role.",
  'members read-invitation': 'A link that was used, replaced or has expired is not found.',
  'account show': 'Whose token this is, and what Sluice sees of the connection.',
  'account sessions': 'The browsers in which the member is signed in, the newest first; none for a token.',
  check:
    'An allowed request is counted, as if it had been sent. `sluice limits explain` decides without counting. The secret of an API key comes from SLUICE_API_KEY; --key names a registered key. The exit code is 0 if the request is allowed and 1 if a limit refuses it. It is also 1 if the server rejects the check, with the error on stderr and nothing on stdout.',
  settle:
    'Less than was reserved is given back, more is counted, and the places of the check are free. A check can be settled once, within its --settle-within. Limits that you do not name keep what was reserved.',
  'limits list': 'By name. `sluice policies get` shows the limits of the endpoint classes.',
  'limits create':
    'In force at once. All windows hold at the same time. A limit with places (--in-flight) holds one from a check to its settlement.',
  'limits update':
    'What you do not name stays as it is; windows are replaced together. A window of the same length keeps its counts, another one starts empty.',
  'limits remove':
    'Checks that name it are refused with 400 from then on, and route rules count without it. --dry-run shows what uses it.',
  'check-batch': 'Decides like single checks. The exit code is 0 for any decision; see `allowed` in each answer.',
  'assessments answer':
    'Answers the oldest open request of a running assessment with the URL that the browser came back to, within 10 minutes. Needs the member who started it, or an operator. A URL of null means that the browser did not come back.',
  'assessments list': 'Newest first, unless --sort says otherwise.',
  'service readiness':
    'Prints `ready`, or `degraded` with the part that is down. The exit code is 1, with the reason, if the server is stopping, has not started, or lost its database; with --strict if any part is down.',
  'service housekeeping': 'For the scheduler of a serverless platform. Needs the secret in CRON_SECRET.',
};

/** Descriptions of fields in all commands. */
export const FIELD_TEXTS: Readonly<Record<string, string>> = {
  client_type: 'Selects one of the two client limits.',
  format: 'All matches as CSV (RFC 4180, safe for spreadsheets) or JSON lines, instead of a table.',
  sort: 'Sort field; a minus sorts in descending order.',
  on_store_failure: 'While the counter store is down: closed refuses, local decides at half the limit.',
  lease: 'Requests of one busy address or user that an instance may decide without asking Redis.',
  window_seconds: 'Length of the window, in seconds.',
  free: 'Requests per month.',
  starter: 'Requests per month.',
  business: 'Requests per month.',
  enterprise: 'Requests per month.',
};

const ADDRESS_OR_USER = 'An address, a CIDR range, or a user id. The type is guessed unless an option sets it.';
const CALLER = 'An address, a CIDR range, a user id, an API key, or an OAuth client.';
const REASON = { reason: 'Reason, shown in the audit log.' };
const DECISIONS = {
  reason: 'Error code of the refusal.',
  class: 'Endpoint class.',
  outcome: 'Outcome of the decision.',
  identifier:
    'With --type: decisions about this address, range, user, key or client. Without: the refused or bypassed caller.',
  type: 'Kind of --identifier.',
  method: 'HTTP method.',
  path: 'Prefix of the path.',
  user_id: 'A user.',
  request_id: 'The X-Request-Id of an answer.',
};
const REQUEST = {
  class: 'Endpoint class. Default: by --method and --path.',
  method: 'HTTP method.',
  path: 'The path, with or without a query.',
  ip: 'Address of the caller.',
  user_id: 'The user.',
  client_id: 'OAuth client, instead of a key.',
  client_type: 'Type of --client. Default: public.',
  cost: 'Cost of the request, 1 to 1000. Default: by the route rule.',
  limits:
    'Named limit, with subject and cost: tokens=alice:500. Without a subject it counts the API key. A subject that ends in a colon and digits needs a cost.',
};
const WINDOWS =
  'Units in a time: 5/1h, 5000/month, 5000/month@15 from the 15th on. Several from the shortest to the longest.';
const LIMIT = {
  windows: WINDOWS,
  ...Object.fromEntries(
    ['free', 'starter', 'business', 'enterprise'].map((tier) => [`tiers.${tier}`, 'Windows for keys of this tier.']),
  ),
};
const NOTE = { reason: 'Reason, shown in the audit log and in lists.' };

const RATES = Object.fromEntries(
  ['free', 'starter', 'business', 'enterprise'].map((tier) => [`tier_rates.${tier}`, 'Requests per minute.']),
);

const MONTH = { month_starts_on: 'Day on which the month of its quota begins, 1 to 31.' };

/** Descriptions of fields in single commands. */
export const FIELD_TEXTS_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'allowlist add': { identifier: ADDRESS_OR_USER, ...NOTE },
  'allowlist remove': { identifier: ADDRESS_OR_USER, ...REASON },
  'overrides set': { identifier: ADDRESS_OR_USER, ...NOTE, class: 'Endpoint class of the limit.' },
  'overrides remove': { identifier: ADDRESS_OR_USER, ...REASON, class: 'Endpoint class of the limit.' },
  'grants add': { requests: 'Added to the limit of each month in which the grant is active.', ...NOTE },
  'limits inspect': { identifier: CALLER, client_type: 'Type of an OAuth client that is not one of the lab.' },
  'limits preview-reset': { identifier: CALLER, class: 'Endpoint class. Default: all.' },
  'limits reset': { identifier: CALLER, class: 'Endpoint class. Default: all.', ...REASON },
  'limits explain': REQUEST,
  'limits create': LIMIT,
  'limits update': { ...LIMIT, ...REASON },
  'limits remove': REASON,
  settle: { costs: 'Units that were used: tokens=731.' },
  check: REQUEST,
  'decisions list': DECISIONS,
  'decisions callers': DECISIONS,
  'policies set': RATES,
  'keys create': {
    name: 'No two keys share a name.',
    tier: 'Tier, which sets the monthly quota.',
    ...MONTH,
    ...REASON,
  },
  'keys update': {
    name: 'No two keys share a name.',
    limits: 'Windows of a named limit for this key: tokens=50000/1m. `tokens=` removes them.',
    ...MONTH,
  },
  'quota tier': { tier: 'Tier, which sets the monthly quota.' },
  'quota reset': REASON,
  'state release': {
    kind: 'The section of the file.',
    id: 'Id as in a plan: the name of a key (for grants that of their key), "ip 198.51.100.0/24", "ip 203.0.113.7 read".',
  },
  'audit undo': { seq: 'Number of the change, as `sluice audit list` shows it.' },
  'members invite': { role: 'Role of the member.', name: 'Name of the person.' },
  'members update': { role: 'Role of the member.', name: 'Name of the person.' },
  batch: { items: 'A list of objects, in JSON.' },
};
