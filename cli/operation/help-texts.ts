/** Descriptions of commands whose contract describes HTTP. Empty if the summary suffices. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'allowlist add':
    'From the next decision on, whatever matches is never rate limited; monthly quotas still count. An entry that is there already keeps its id and gets the new reason and end.',
  'allowlist list': 'Newest first, unless --sort says otherwise.',
  'overrides list': 'Newest first, unless --sort says otherwise.',
  'limits reset':
    'An IPv6 address is counted with its /64, so the counters of the whole /64 are cleared; a range clears those of every address in it. Quotas are left alone, unless --quota says so for an API key. What is cleared is kept for 15 minutes, for an undo, unless it is more than 10,000 counters.',
  'policies set':
    'Changes the limits that you name and leaves the others alone. Counters are kept; a window of a different length starts empty. `sluice policies dry-run` with the same options shows whom a change would hit.',
  'policies dry-run':
    'Changes nothing: the last whole hour is replayed against each limit that you name. Requests are recorded in ten-second steps for the 64 busiest identifiers of every minute and limit, so each result is a lower and an upper bound for these, plus a count of all other requests. Bounds are in units: a request counts as much as it costs. Where requests cost more than 1, a limit can refuse up to the cost of one request more in each window. Callers that would have behaved differently when refused are not modelled.',
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
    'One after the other, each as its own command would do it, with its own audit record. An item that is refused stops no other; its error is in the answer. An item holds what the single call of the API takes.',
  'statistics decisions':
    'The last hour by minute, unless --since, --before and --step say otherwise. Counts lag about a second behind the decisions. Minutes are kept for 2 days, hours for 60 days, days for 2 years.',
  'decisions list':
    'Newest first. Decisions appear about a second after they were made. Allowed requests are counted but not listed. Under attack at most 100 per second, and 10 per second of one identifier, are kept; `sluice statistics decisions` counts all.',
  'decisions callers':
    'The decisions of the log, with the same filters, grouped by who was refused; the most refused first. The log holds at most 10 decisions per second of one identifier, so counts can be too low under attack.',
  'state release':
    'Takes away the mark `managed`, and changes nothing else: the console stops warning. As long as a file still names it, the next apply of that file sets and marks it again.',
  'audit list': 'Newest first.',
  'audit undo':
    'Brings back exactly what was there: the same id, creator, reason and expiry. Needs the role that the change needed. Possible for as long as nothing newer touched the same thing, and for 15 minutes after a reset of counters or of a quota, where what was used since is kept. The undo is a change itself, and can be taken back too.',
  'tokens list': 'Newest first, unless --sort says otherwise; includes expired tokens, not revoked ones.',
  'members invite':
    'Prints an invitation: a one-time link by which the person sets a password. Where people can sign in with a provider, there is none unless --invitation asks for it, because an account with this verified e-mail address is enough.',
  'members list': 'By e-mail address, unless --sort says otherwise.',
  'members update':
    "What you do not name stays as it is. A role applies from the member's next request on; a new password ends the member's other sessions. The last owner keeps the role.",
  'members read-invitation': 'A link that was used, replaced or has expired is not found.',
  'account show': 'Whose token this is, and what Sluice sees of the connection.',
  'account sessions': 'The browsers in which the member is signed in, the newest first; none for a token.',
  check:
    'An allowed request is counted, as if it had been sent. `sluice limits explain` asks without counting. The secret of an API key comes from SLUICE_API_KEY; --key names one that is registered. Exit code 0 when the request is allowed, 1 when a limit refuses it; a question that the server refuses is also 1, with the error on stderr and nothing on stdout.',
  'check-batch': 'As many single checks. Exit code 0 whatever is decided: `allowed` of each answer says it.',
  'assessments answer':
    'Answers the oldest open question of a running assessment with the URL that the browser came back to, within 10 minutes; whoever started it, or an operator. A URL of null says that it did not come back.',
  'assessments list': 'Newest first, unless --sort says otherwise.',
  'service readiness':
    'Ready, or degraded with the part that is down. Exit code 1, with the reason, while the server is stopping, has not started, or lost its database; with --strict when any part is down.',
  'service housekeeping': 'For the cron of a serverless platform. Needs the secret in CRON_SECRET.',
};

/** Descriptions of fields in all commands. */
export const FIELD_TEXTS: Readonly<Record<string, string>> = {
  client_type: 'Which of the two client limits applies.',
  format: 'All matches as CSV (RFC 4180, safe for spreadsheets) or JSON lines, instead of a table.',
  sort: 'What to sort by; a minus sorts in descending order.',
  on_store_failure: 'While the counter store is down: closed refuses, local decides at half the limit.',
  lease: 'Requests of one busy address or user that an instance may decide without asking Redis.',
  window_seconds: 'Length of the window, in seconds.',
  free: 'Requests per month.',
  starter: 'Requests per month.',
  business: 'Requests per month.',
  enterprise: 'Requests per month.',
};

const ADDRESS_OR_USER = 'An address, a CIDR range, or a user id. Which of them is guessed, unless an option says it.';
const CALLER = 'An address, a CIDR range, a user id, an API key, or an OAuth client.';
const REASON = { reason: 'Why; kept in the audit log.' };
const DECISIONS = {
  reason: 'Error code of the refusal.',
  class: 'Endpoint class.',
  outcome: 'What was decided.',
  identifier: 'With --type: all about this address, range, user, key or client. Without: who was refused or bypassed.',
  type: 'Kind of --identifier.',
  method: 'HTTP method.',
  path: 'How the path begins.',
  user_id: 'A user.',
  request_id: 'The X-Request-Id of an answer.',
};
const REQUEST = {
  class: 'The endpoint class; found out from --method and --path when absent.',
  method: 'HTTP method.',
  path: 'The path, with or without a query.',
  ip: 'Address of the caller.',
  user_id: 'The user.',
  client_id: 'An OAuth client, in place of a key.',
  client_type: 'Of --client; public when absent.',
  cost: 'Cost of the request, 1 to 1000; that of the route rule when absent.',
};
const NOTE = { reason: 'Why; kept in the audit log and shown in lists.' };

const MONTH = { month_starts_on: 'Day on which the month of its quota begins, 1 to 31.' };

/** Descriptions of fields in single commands. */
export const FIELD_TEXTS_OF: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'allowlist add': { identifier: ADDRESS_OR_USER, ...NOTE },
  'allowlist remove': { identifier: ADDRESS_OR_USER, ...REASON },
  'overrides set': { identifier: ADDRESS_OR_USER, ...NOTE, class: 'The endpoint class that the limit is for.' },
  'overrides remove': { identifier: ADDRESS_OR_USER, ...REASON, class: 'The endpoint class that the limit is for.' },
  'grants add': { requests: 'Added to the limit of each month in which the grant is active.', ...NOTE },
  'limits inspect': { identifier: CALLER, client_type: 'Of an OAuth client that the lab does not know.' },
  'limits preview-reset': { identifier: CALLER, class: 'Only this class; all when absent.' },
  'limits reset': { identifier: CALLER, class: 'Only this class; all when absent.', ...REASON },
  'limits explain': REQUEST,
  check: REQUEST,
  'decisions list': DECISIONS,
  'decisions callers': DECISIONS,
  'keys create': { name: 'No two keys share a name.', tier: 'How many requests a month.', ...MONTH, ...REASON },
  'keys update': { name: 'No two keys share a name.', ...MONTH },
  'quota tier': { tier: 'How many requests a month.' },
  'quota reset': REASON,
  'state release': {
    kind: 'The section of the file.',
    id: 'As a plan shows it: the name of a key (of grants their key), "ip 198.51.100.0/24", "ip 203.0.113.7 read".',
  },
  'audit undo': { seq: 'Number of the change, as `sluice audit list` shows it.' },
  'members invite': { role: 'What the member may do.', name: 'What the person is called.' },
  'members update': { role: 'What the member may do.', name: 'What the person is called.' },
  batch: { items: 'A list of objects, in JSON.' },
};
