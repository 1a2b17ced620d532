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
  refund: { summary: 'Give back what one request has consumed', section: DECIDING },
  limits: { summary: 'Counters of one caller: inspect, explain, reset', section: DECIDING },
  policies: { summary: 'Limits of the classes, of clients and tiers', section: RULES },
  routes: { summary: 'Route rules: which requests belong to which class', section: RULES },
  candidates: { summary: 'Limits that only count, beside the live ones', section: RULES },
  overrides: { summary: 'A limit of its own for one identifier', section: RULES },
  allowlist: { summary: 'Addresses and users that bypass rate limiting', section: RULES },
  state: { summary: 'All rules as one file: pull, plan, apply', section: RULES },
  batch: { summary: 'One operation on up to 500 items', section: RULES },
  keys: { summary: 'API keys', section: CLIENTS },
  quota: { summary: 'What API keys use of their month', section: CLIENTS },
  exceptions: { summary: 'Allowlist entries, overrides and grants together', section: CLIENTS },
  grants: { summary: 'More requests for one key, for a while', section: CLIENTS },
  decisions: { summary: 'Who was refused, and why', section: WATCHING },
  statistics: { summary: 'How many decisions, of which kind', section: WATCHING },
  audit: { summary: 'Who changed what; undo', section: WATCHING },
  alerts: { summary: 'When somebody is told', section: WATCHING },
  webhooks: { summary: 'Whom alerts are sent to', section: WATCHING },
  incident: { summary: 'Looser or stricter for a while', section: WATCHING },
  tokens: { summary: 'Credentials of automation', section: ACCESS },
  members: { summary: 'People who sign in', section: ACCESS },
  account: { summary: 'Your own sign-in; needs a session of a browser', section: ACCESS },
  'sign-in': { summary: 'How people may sign in', section: ACCESS },
  oauth: { summary: 'Assess an OAuth server, list the controls', section: OAUTH },
  assessments: { summary: 'Assessments that the server keeps', section: OAUTH },
  lab: { summary: 'The OAuth server that can be weakened', section: OAUTH },
  serve: { summary: 'Run the server', section: SERVICE },
  'reset-owner': { summary: 'Let an owner set a new password', section: SERVICE },
  login: { summary: 'Keep a server and a token', section: SERVICE },
  logout: { summary: 'Forget a token', section: SERVICE },
  doctor: { summary: 'Check the connection', section: SERVICE },
  setup: { summary: 'First steps of an installation', section: SERVICE },
  service: { summary: 'Health, metrics, OpenAPI', section: SERVICE },
  counters: { summary: 'Which store counts: move, adopt', section: SERVICE },
  backup: { summary: 'Copy the database to a file', section: SERVICE },
  restore: { summary: 'Put a copy back', section: SERVICE },
  completion: { summary: 'Completion for a shell', section: SERVICE },
};
