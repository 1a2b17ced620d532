import type { Form } from '@/cli/operation/form';

const TOKEN_IN_PATH = { flags: { id: 'token' }, references: { id: 'token' } } as const;
const MEMBER_IN_PATH = { flags: { id: 'member' }, references: { id: 'member' } } as const;
const REMOVAL = {
  question: 'Remove this member, with password and sign-in accounts?',
  matter: 'This can be undone for 15 minutes only',
} as const;
/** Fields of a member that the audit log does not store. */
const NOT_KEPT = ['password', 'provider_accounts'];

/** Forms of the commands for members, accounts and tokens. */
export const MEMBER_FORMS: Readonly<Record<string, Form>> = {
  'tokens create': { undoable: false, examples: ['sluice tokens create --name Deployment --role operator --for 90d'] },
  'tokens list': {
    columns: ['name', 'role', 'last_used_at', 'expires_at', 'created_at', 'created_by', 'id'],
    drop: ['created_by', 'created_at', 'id', 'last_used_at'],
  },
  'tokens revoke': { ...TOKEN_IN_PATH, exactly: true, done: 'Revoked', examples: ['sluice tokens revoke Deployment'] },
  'members invite': {
    arguments: ['email'],
    examples: [
      'sluice members invite ada@example.com --role viewer --invitation',
      'sluice members invite ada@example.com --role viewer --password',
    ],
  },
  'members list': {
    columns: ['email', 'name', 'role', 'state', 'last_seen_at', 'created_at', 'id'],
    drop: ['created_at', 'id', 'last_seen_at'],
  },
  'members update': {
    ...MEMBER_IN_PATH,
    notUndoableWith: NOT_KEPT,
    examples: [
      'sluice members update ada@example.com --role operator',
      'sluice members update ada@example.com --password',
    ],
  },
  'members remove': {
    ...MEMBER_IN_PATH,
    exactly: true,
    done: 'Removed',
    ...REMOVAL,
    examples: ['sluice members remove ada@example.com --yes'],
  },
  'members remove-named': REMOVAL,
  'members update-named': { notUndoableWith: NOT_KEPT },
  'members read-invitation': {
    variables: { token: 'SLUICE_INVITATION_TOKEN' },
    examples: ['sluice members read-invitation'],
  },
  'members create-invitation': {
    ...MEMBER_IN_PATH,
    undoable: false,
    question: 'Make a new invitation? An older link of this member stops working.',
  },
  'members end-sessions': {
    ...MEMBER_IN_PATH,
    exactly: true,
    undoable: false,
    question: 'End all sessions of this member?',
  },
  'members reset-second-factor': {
    ...MEMBER_IN_PATH,
    exactly: true,
    undoable: false,
    question: "Reset this member's second factor? It is not kept.",
  },
  'account password': { undoable: false },
  'account turn-off-second-factor': { undoable: false, question: 'Turn the second factor off? It is not kept.' },
  'account renew-recovery-codes': {
    undoable: false,
    question: 'Replace the recovery codes? The old ones stop working.',
  },
  'account confirm-second-factor': { undoable: false },
  'account start-second-factor': { undoable: false },
  'account end-session': { undoable: false, question: 'End this session?' },
  'account end-other-sessions': { undoable: false, question: 'End all other sessions?' },
};
