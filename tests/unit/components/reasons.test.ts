import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CONTRACTS } from '@/lib/contract/contracts';
import type { Contract } from '@/lib/contract/operation';

/**
 * One rule in the whole console: what changes what an existing identifier, key, member or rule may do asks for a reason.
 * What does not ask says here why not.
 */
const EXEMPT: Readonly<Record<string, string>> = {
  // Creates: nobody has it yet.
  'createApiKey in components/keys/key-form-dialogs.tsx': 'a new key',
  'createLimit in components/named-limits/limit-dialogs.tsx': 'a new limit',
  'createToken in components/tokens/create-token-dialog.tsx': 'a new token',
  'createToken in components/first-hour/gateway-token.tsx': 'a new token',
  'inviteMember in components/members/invite-dialog.tsx': 'a new member',
  'createInvitation in components/members/member-actions.tsx': 'a new link for someone without a password',
  'createWebhook in components/alerts/create-webhook-dialog.tsx': 'a new webhook',
  // At three in the morning, undone by one click, and nothing that is decided depends on it.
  'acknowledgeAlerts in components/inbox/use-handle-alerts.ts': 'an acknowledgement',
  'reopenAlerts in components/inbox/use-handle-alerts.ts': 'the end of an acknowledgement',
  // One's own account.
  'changeOwnPassword in components/session/password-card.tsx': 'own account',
  'startSecondFactor in components/session/set-up-second-factor.tsx': 'own account',
  'confirmSecondFactor in components/session/set-up-second-factor.tsx': 'own account',
  'renewRecoveryCodes in components/session/prove-dialog.tsx': 'own account',
  'turnOffSecondFactor in components/session/prove-dialog.tsx': 'own account',
  'endOwnSession in components/session/sessions-card.tsx': 'own account',
  'endOtherSessions in components/session/sessions-card.tsx': 'own account',
  // Brings back what was there, with its own record.
  'undoChange in components/api/use-undo.ts': 'the undo itself',
  // Changes nothing that anybody may do.
  'endIncident in components/incident/use-end-incident.ts': 'everything is decided as before',
  'endMemberSessions in components/members/member-actions.tsx': 'they may sign in again',
  'releaseFromState in components/form/managed/managed-warning.tsx': 'the mark of a document',
  'testWebhook in components/alerts/test-action.ts': 'a message that says that it is a test',
  'replayDelivery in components/alerts/deliveries-dialog.tsx': 'what was sent before',
  'removeAssessment in components/oauth/assessments/assessment-menu.tsx': 'a report of one run',
};

const contracts: readonly Contract[] = CONTRACTS;
const changing = new Set(contracts.filter(({ reason }) => reason !== undefined).map(({ id }) => id));

interface Change {
  name: string;
  sendsReason: boolean;
}

/** The text of a call's arguments, from its opening parenthesis. */
function argumentsOf(source: string, open: number): string {
  let depth = 0;
  for (let at = open; at < source.length; at += 1) {
    if (source[at] === '(') depth += 1;
    if (source[at] === ')') depth -= 1;
    if (depth === 0) return source.slice(open, at);
  }
  return source.slice(open);
}

/** Every call of the console that changes something and leaves an audit record. */
function changesOf(file: string): Change[] {
  const source = readFileSync(file, 'utf8');
  return [...source.matchAll(/\bcall\(\s*(\w+)/g)].flatMap((match) => {
    const id = match[1] ?? '';
    if (!changing.has(id)) return [];
    const sent = argumentsOf(source, match.index + 'call'.length);
    // Some send values that were put together before: these must come from a form that has the field.
    const asked =
      /<(EntryInputs|ReasonField|ActionForm)\b/.test(source) && /\.\.\.(values|sent)\b|\bbody\s*[,}]/.test(sent);
    return [{ name: `${id} in ${file}`, sendsReason: /\breason\b/.test(sent) || asked }];
  });
}

const changes = readdirSync('components', { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .flatMap((name) => changesOf(`components/${name}`));

describe('changes made in the console', () => {
  it('send a reason, or are exempt from it', () => {
    expect(changes.length).toBeGreaterThan(30);
    const silent = changes.filter(({ sendsReason, name }) => !sendsReason && !(name in EXEMPT)).map(({ name }) => name);
    expect(silent).toEqual([]);
  });

  it('are exempt only as long as they exist', () => {
    const gone = Object.keys(EXEMPT).filter((exempt) => !changes.some(({ name }) => name === exempt));
    expect(gone).toEqual([]);
  });
});
