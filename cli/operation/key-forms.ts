import type { Form } from '@/cli/operation/form';
import { WINDOWS_BY_LIMIT } from '@/cli/operation/limit-texts';

const KEY_IN_PATH = { flags: { id: 'key', api_key: 'key' }, references: { id: 'key', api_key: 'key' } } as const;

/** Forms of the commands for API keys, their quotas and grants. */
export const KEY_FORMS: Readonly<Record<string, Form>> = {
  'keys create': {
    undoable: false,
    flags: { user_id: 'user', overage_allowed: 'overage' },
    examples: [
      'sluice keys create --name Reports --tier starter',
      'sluice keys create --name Trial --tier free --for 30d',
      'sluice keys create --name Reports --tier starter --json | jq -r .secret',
    ],
  },
  'keys list': {
    columns: ['name', 'prefix', 'tier', 'usage', 'limit', 'last_used_at', 'expires_at', 'created_at'],
    drop: ['created_at', 'last_used_at', 'expires_at'],
    examples: [
      'sluice keys list',
      'sluice keys list --state used_up,near',
      'sluice keys list --status revoked',
      'sluice keys list --all --json',
    ],
  },
  'keys get': { ...KEY_IN_PATH, evenRevoked: true, examples: ['sluice keys get Reports'] },
  'keys update': {
    ...KEY_IN_PATH,
    flags: { ...KEY_IN_PATH.flags, user_id: 'user', overage_allowed: 'overage', limits: 'limit' },
    lists: { limits: WINDOWS_BY_LIMIT },
    examples: [
      'sluice keys update Reports --name "Reports, nightly"',
      'sluice keys update Reports --limit tokens=50000/1m --limit tokens=2000000/1d',
      'sluice keys update Reports --no-user --never',
      'sluice keys update Reports --month-starts-on 15',
    ],
  },
  'keys revoke': {
    ...KEY_IN_PATH,
    exactly: true,
    done: 'Revoked',
    examples: ['sluice keys revoke Reports --reason "Leaked"'],
  },
  'keys rotate': {
    ...KEY_IN_PATH,
    exactly: true,
    undoable: false,
    flags: { ...KEY_IN_PATH.flags, grace_seconds: 'grace-seconds' },
    question: 'Replace the secret of this key? The old one stops working after its grace.',
    examples: ['sluice keys rotate Reports --grace-seconds 3600'],
  },
  'quota get': { ...KEY_IN_PATH, examples: ['sluice quota get Reports'] },
  'quota reset': { ...KEY_IN_PATH, examples: ['sluice quota reset Reports --reason "Billing dispute"'] },
  'quota tier': { ...KEY_IN_PATH, arguments: ['tier'], examples: ['sluice quota tier Reports business'] },
  'quota own': { examples: ['SLUICE_API_KEY=... sluice quota own'] },
  'grants add': {
    arguments: ['api_key'],
    flags: { api_key: 'key' },
    references: { api_key: 'key' },
    examples: ['sluice grants add Reports --requests 5000 --until 2027-01-31 --reason "Migration"'],
  },
  'grants list': {
    flags: { api_key: 'key' },
    references: { api_key: 'key' },
    columns: ['id', 'api_key_name', 'requests', 'status', 'until', 'reason', 'created_by'],
    drop: ['created_by', 'status', 'reason'],
  },
  'grants remove': { arguments: ['id'], examples: ['sluice grants remove 8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69'] },
  'statistics key': { ...KEY_IN_PATH, examples: ['sluice statistics key Reports --days 30'] },
  'statistics key-origins': { ...KEY_IN_PATH, examples: ['sluice statistics key-origins Reports'] },
};
