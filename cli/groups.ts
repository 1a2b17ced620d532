interface Group {
  summary: string;
  /** Heading in the help. */
  section: string;
}

const DECIDING = 'Deciding:';
const RULES = 'Rules:';
const CLIENTS = 'Clients:';
const WATCHING = 'Watching:';
const ACCESS = 'Access:';
const OAUTH = 'OAuth:';
const SERVICE = 'This server:';

/** Summaries of command groups, by first word. */
export const GROUPS: Readonly<Record<string, Group>> = {
  check: { summary: 'Decide one request', section: DECIDING },
  'check-batch': { summary: 'Decide many requests', section: DECIDING },
  refund: { summary: 'Refund one request', section: DECIDING },
  settle: { summary: 'Replace what a check reserved by what was used', section: DECIDING },
  limits: { summary: 'Named limits, and the counters of one caller', section: DECIDING },
  policies: { summary: 'Limits of the classes, of clients and tiers', section: RULES },
  routes: { summary: 'Route rules: which requests belong to which class', section: RULES },
  candidates: { summary: 'Limits that only count, next to the live ones', section: RULES },
  overrides: { summary: 'A separate limit for one identifier', section: RULES },
  allowlist: { summary: 'Addresses and users that bypass rate limiting', section: RULES },
  state: { summary: 'All rules as one file: pull, plan, apply', section: RULES },
  batch: { summary: 'One operation on up to 500 items', section: RULES },
  keys: { summary: 'API keys', section: CLIENTS },
  quota: { summary: 'Monthly usage of API keys', section: CLIENTS },
  exceptions: { summary: 'Allowlist entries, overrides and grants together', section: CLIENTS },
  grants: { summary: 'Additional requests for one key, until a date', section: CLIENTS },
  decisions: { summary: 'Refused and bypassed requests', section: WATCHING },
  statistics: { summary: 'Number of decisions by kind', section: WATCHING },
  audit: { summary: 'Changes: list, verify, undo', section: WATCHING },
  alerts: { summary: 'Alerts and their thresholds', section: WATCHING },
  webhooks: { summary: 'Receivers of alerts', section: WATCHING },
  incident: { summary: 'Temporarily looser or stricter limits', section: WATCHING },
  tokens: { summary: 'Credentials of automation', section: ACCESS },
  members: { summary: 'People who sign in', section: ACCESS },
  account: { summary: 'Your own sign-in; needs a browser session', section: ACCESS },
  'sign-in': { summary: 'How people may sign in', section: ACCESS },
  oauth: { summary: 'Assess an OAuth server, list the controls', section: OAUTH },
  assessments: { summary: 'Assessments stored on the server', section: OAUTH },
  lab: { summary: 'OAuth server whose controls can be disabled', section: OAUTH },
  serve: { summary: 'Run the server', section: SERVICE },
  'reset-owner': { summary: 'Let an owner set a new password', section: SERVICE },
  login: { summary: 'Store a server and a token', section: SERVICE },
  logout: { summary: 'Delete a stored token', section: SERVICE },
  doctor: { summary: 'Check the connection', section: SERVICE },
  setup: { summary: 'First steps of an installation', section: SERVICE },
  service: { summary: 'Health, metrics, OpenAPI', section: SERVICE },
  counters: { summary: 'Store of the counters: move, adopt', section: SERVICE },
  backup: { summary: 'Copy the database to a file', section: SERVICE },
  restore: { summary: 'Restore a copy', section: SERVICE },
  completion: { summary: 'Completion for a shell', section: SERVICE },
};
