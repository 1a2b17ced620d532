import { EXIT } from '@/cli/failure';
import { ALERT_FORMS } from '@/cli/operation/alert-forms';
import type { Form } from '@/cli/operation/form';
import { KEY_FORMS } from '@/cli/operation/key-forms';
import { LIMIT_FORMS, OWN_NUMBERS } from '@/cli/operation/limit-forms';
import { CHECKED_LIMITS, COSTS } from '@/cli/operation/limit-texts';
import { MEMBER_FORMS } from '@/cli/operation/member-forms';
import { isRow } from '@/cli/output/rows';

const IDENTIFIER = { guessesType: true, arguments: ['identifier'], flags: { user_id: 'user' } } as const;
const REQUEST = {
  flags: { user_id: 'user', client_id: 'client', api_key: 'key', api_key_id: 'key', limits: 'limit' },
  references: { api_key: 'key', api_key_id: 'key' },
  lists: { limits: CHECKED_LIMITS },
  fromEnvironment: { api_key: 'SLUICE_API_KEY' },
} as const;
const DECISION_FILTERS = {
  flags: { user_id: 'user', api_key: 'key', from: 'since', to: 'before' },
  references: { api_key: 'key' },
  hidden: ['api_key_id'],
} as const;

const WHO_AND_WHY = ['reason', 'subject', 'identifier'];

/** Forms by command. Commands without an entry are fully generated. */
export const FORMS: Readonly<Record<string, Form>> = {
  'allowlist add': {
    ...IDENTIFIER,
    examples: [
      'sluice allowlist add 198.51.100.0/24 --for 1d --reason "Office move"',
      'sluice allowlist add alice --until 2026-12-01 --reason "Load test"',
      'sluice allowlist add 10.0.0.7 --user --reason "A user whose id looks like an address"',
    ],
  },
  'allowlist remove': {
    ...IDENTIFIER,
    done: 'No longer on the allowlist:',
    examples: ['sluice allowlist remove 198.51.100.0/24 --reason "Moved"'],
  },
  'allowlist list': {
    columns: ['type', 'identifier', 'reason', 'expires_at', 'created_at', 'created_by', 'narrower'],
    drop: ['created_by', 'created_at', 'narrower', 'type'],
    examples: ['sluice allowlist list', 'sluice allowlist list --status all --q office'],
  },
  ...LIMIT_FORMS,
  'limits inspect': {
    ...IDENTIFIER,
    examples: [
      'sluice limits inspect 203.0.113.7',
      'sluice limits inspect alice',
      'sluice limits inspect +4915112345678 --subject',
    ],
  },
  'limits preview-reset': { ...IDENTIFIER, examples: ['sluice limits preview-reset 203.0.113.7 --class auth'] },
  'limits reset': {
    ...IDENTIFIER,
    done: 'Reset',
    examples: [
      'sluice limits reset 203.0.113.7 --reason "Shared address"',
      'sluice limits reset Reports --key --quota',
      'sluice limits reset +4915112345678 --subject --limit-name sms',
    ],
  },
  'limits explain': {
    ...REQUEST,
    hidden: ['api_key'],
    examples: ['sluice limits explain --method GET --path /api/reports/7 --ip 203.0.113.7'],
  },
  check: {
    ...REQUEST,
    exitCode: (answer) => (isRow(answer) && answer.allowed === true ? EXIT.done : EXIT.refused),
    examples: [
      'sluice check --class read --ip 203.0.113.7',
      'sluice check --method POST --path /api/orders --user alice',
      'SLUICE_API_KEY=... sluice check --method GET --path /api/reports/7',
      'if sluice check --class write --user alice; then ./send-report; fi',
      'sluice check --limit sms=+4915112345678',
      'sluice check --limit tokens=alice:2000 --settle --json',
    ],
  },
  settle: {
    arguments: ['id'],
    flags: { costs: 'cost' },
    lists: { costs: COSTS },
    examples: [
      'sluice settle "$(sluice check --limit tokens=alice:2000 --settle --json | jq -r .id)" --cost tokens=731',
    ],
    undoable: false,
  },
  refund: {
    arguments: ['id'],
    examples: ['sluice refund "$(sluice check --class read --user alice --refundable --json | jq -r .id)"'],
    undoable: false,
  },
  'check-batch': { examples: ['sluice check-batch --data checks.json'] },
  'overrides set': {
    ...IDENTIFIER,
    flags: { ...OWN_NUMBERS.flags, window_seconds: 'window' },
    lists: OWN_NUMBERS.lists,
    examples: [
      'sluice overrides set 203.0.113.0/24 --class read --limit 1000 --window 60 --for 7d --reason "Crawler"',
      'sluice overrides set +4915112345678 --subject --limit-name sms --windows 5/30s --windows 20/1h --reason "Tests"',
    ],
  },
  'overrides remove': {
    ...IDENTIFIER,
    done: 'No longer with a separate limit:',
    examples: ['sluice overrides remove 203.0.113.0/24 --class read'],
  },
  'overrides list': {
    columns: [
      ...['type', 'identifier', 'class', 'limit', 'window_seconds', 'reason', 'expires_at', 'last_used_at', 'narrower'],
    ],
    drop: ['narrower', 'last_used_at', 'type'],
  },
  'candidates list': {
    columns: [
      'place',
      'limit',
      'window_seconds',
      'live',
      'requests',
      'would_refuse',
      'would_allow',
      'identifiers',
      'ends_at',
    ],
    drop: ['ends_at', 'would_allow', 'live'],
  },
  'candidates set': {
    ...OWN_NUMBERS,
    arguments: ['place'],
    examples: [
      'sluice candidates set limits.sms --windows 3/1h --for 7d --reason "Are three an hour enough?"',
      'sluice candidates set classes.read.ip --limit 60 --window-seconds 60 --for 7d --reason "Is 60 enough?"',
    ],
  },
  'candidates remove': { arguments: ['place'], examples: ['sluice candidates remove classes.read.ip'] },
  'candidates promote': {
    arguments: ['place'],
    examples: ['sluice candidates promote classes.read.ip --reason "It refused nobody for a week"'],
  },
  'candidates set-rules': {
    hidden: ['rules'],
    examples: [
      'sluice routes get --json > rules.json',
      `jq '{rules: .}' rules.json | sluice candidates set-rules --data - --for 7d --reason "Can exports cost more?"`,
    ],
  },
  'candidates promote-rules': {
    examples: ['sluice candidates promote-rules --reason "They refused nobody for a week"'],
  },
  'incident start': {
    arguments: ['mode'],
    examples: [
      'sluice incident start factor --factor 0.5 --for 2h --reason "The database is at its limit"',
      'sluice incident start observe --for 30m --reason "Paying customers are refused"',
      'sluice incident start read_only --for 1h --reason "Migration of the orders"',
    ],
  },
  'incident end': { examples: ['sluice incident end --reason "The database is back"'] },
  ...ALERT_FORMS,
  'exceptions list': {
    columns: ['kind', 'identifier', 'api_key_name', 'class', 'ends_at', 'last_used_at', 'notes', 'narrower', 'reason'],
    examples: ['sluice exceptions list', 'sluice exceptions list --note never_used'],
  },
  ...KEY_FORMS,
  ...MEMBER_FORMS,
  'policies set': {
    before: 'getPolicies',
    examples: [
      'sluice policies set --classes.auth.ip.limit 20 --reason "Class of 2026 signs in"',
      'sluice policies set --data policies.json',
    ],
  },
  'policies get': { aliases: ['list'], examples: ['sluice policies get', 'sluice policies get --json'] },
  'policies dry-run': { examples: ['sluice policies dry-run --classes.auth.ip.limit 5'] },
  'routes get': { aliases: ['list'], columns: ['method', 'path', 'class', 'cost', 'limits'], drop: ['limits'] },
  'decisions list': {
    ...DECISION_FILTERS,
    columns: ['at', 'outcome', 'class', ...WHO_AND_WHY, 'method', 'path', 'used', 'limit', 'cost', 'source'],
    // The source names the setting to change; numbers and method are in `--json`.
    drop: ['cost', 'used', 'limit', 'method', 'source', 'outcome', 'subject'],
    // The outcome column is dropped, so the reason covers outcomes that are not refusals.
    row: ({ outcome, reason, ...decision }) => ({
      ...decision,
      outcome,
      reason: outcome === 'refused' ? reason : [outcome, reason].filter((word) => word !== null).join(' '),
    }),
    examples: ['sluice decisions list --outcome refused --since 1h', 'sluice decisions list --ip 203.0.113.7'],
  },
  'decisions callers': {
    ...DECISION_FILTERS,
    columns: ['subject', 'identifier', 'api_key_name', 'count', 'first_at', 'last_at'],
    drop: ['first_at', 'last_at'],
    examples: ['sluice decisions callers --outcome refused --since 1d'],
  },
  'statistics decisions': {
    flags: { from: 'since', to: 'before' },
    examples: ['sluice statistics decisions', 'sluice statistics decisions --since 1d --step 3600 --json'],
  },
  'statistics forecast': { flags: { api_key: 'key' }, references: { api_key: 'key' } },
  'audit list': {
    flags: { from: 'since', to: 'before' },
    columns: ['seq', 'at', 'actor_name', 'action', 'target', 'target_name', 'reason'],
    drop: ['target', 'actor_name'],
    row: (record) => ({ ...record, target_name: record.target_name ?? record.target }),
    examples: [
      'sluice audit list --since 1d',
      'sluice audit list --action allowlist',
      'sluice audit list --format csv',
    ],
  },
  'state release': {
    arguments: ['kind', 'id'],
    undoable: false,
    examples: [
      'sluice state release policies',
      'sluice state release api_keys Reports',
      'sluice state release allowlist "ip 198.51.100.0/24"',
    ],
  },
  'audit undo': { examples: ['sluice audit undo 42 --reason "Wrong range"'] },
  'assessments list': { flags: { from: 'since', to: 'before' } },
  'assessments remove': { undoable: false, question: 'Delete this assessment for good?' },
  'assessments start': {
    undoable: false,
    // The target may contain secrets, keys and cookies.
    hidden: ['target'],
    examples: [
      'sluice assessments start --data assessment.json',
      `echo '{"target": {"lab": {}}}' | sluice assessments start --data -`,
    ],
  },
  'assessments answer': {
    // The URL contains the authorization code.
    secrets: ['url'],
    variables: { url: 'SLUICE_CALLBACK_URL' },
    examples: [
      'sluice assessments answer 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69',
      `sluice assessments answer 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69 --data '{"url": null}'`,
    ],
  },
  'assessments accept': { undoable: false },
  'assessments withdraw-acceptance': { undoable: false },
  'oauth request': {
    undoable: false,
    // Each of these may contain a secret.
    hidden: ['method', 'url', 'headers', 'body'],
    secrets: ['url', 'headers', 'body'],
    examples: ['sluice oauth request --data request.json'],
  },
};
