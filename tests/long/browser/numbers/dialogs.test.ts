import { beforeAll, expect, it } from 'vitest';
import { formatAbsoluteTime } from '@/components/format/time';
import { computeEndOfFriday } from '@/components/keys/until';
import { complaints, demoSuite, open, page } from '../../../fixtures/demo-suite';
import { Answers } from './answers';
import { type Claim, expectNoOtherNumbers } from './claims';
import { addWhatIsMissing } from './demonstration';
import * as claims from './dialog-claims';

demoSuite();

/** A dialog with numbers: where it is, how it is opened and filled in, and what its numbers must be. */
interface NumberedDialog {
  path: string;
  open: () => Promise<void>;
  fill?: () => Promise<void>;
  claim?: (answers: Answers) => Claim[];
}

let answers: Answers;
beforeAll(async () => {
  answers = new Answers(page);
  await addWhatIsMissing();
});

const press = (name: string | RegExp) => () => page.getByRole('button', { name }).first().click();
const choose = (row: string | RegExp, action: string | RegExp) => async () => {
  await page.getByRole('button', { name: row }).first().click();
  await page.getByRole('menuitem', { name: action }).click();
};
const type = (label: string | RegExp, value: string) => page.getByRole('dialog').getByLabel(label).first().fill(value);

const DIALOGS: Record<string, NumberedDialog> = {
  'a new allowlist entry': {
    path: '/allowlist',
    open: press('Add entry'),
    fill: () => type(/^Address/, '203.0.113.0/24'),
  },
  'the edit of an entry': { path: '/allowlist', open: choose(/^Actions for/, /^Edit/) },
  'the removal of an entry': {
    path: '/allowlist',
    open: choose(/^Actions for/, /^Remove/),
    claim: claims.claimAllowlistRemoval,
  },
  'the reset of counters': { path: '/allowlist', open: choose(/^Actions for/, 'Reset counters…') },
  'a new override': { path: '/limits/overrides', open: press('Add override'), claim: claims.claimNewOverride },
  'the edit of an override': {
    path: '/limits/overrides',
    open: choose(/^Actions for/, /^Edit/),
    claim: claims.claimOverrideEdit,
  },
  'the removal of an override': {
    path: '/limits/overrides',
    open: choose(/^Actions for/, /^Remove/),
    claim: claims.claimOverrideRemoval,
  },
  'the edit of a limit': { path: '/limits', open: choose('Actions for sms', /^Edit/), claim: claims.claimLimitEdit },
  'the removal of a limit': {
    path: '/limits',
    open: choose('Actions for sms', /^Remove/),
    claim: claims.claimLimitRemoval,
  },
  'a candidate of a limit': {
    path: '/limits',
    open: choose('Actions for sms', /^Try/),
    claim: claims.claimLimitCandidate,
  },
  'the change of a candidate': {
    path: '/limits?tab=candidates',
    open: press('Change…'),
    claim: claims.claimCandidateChange,
  },
  'the promotion of a candidate': {
    path: '/limits?tab=candidates',
    open: press('Promote…'),
    claim: claims.claimPromotion,
  },
  ...Object.fromEntries(
    Object.entries({
      'Edit…': undefined,
      'Grant requests…': claims.claimGrant,
      'Change tier…': claims.claimTierChange,
      'Reset usage…': claims.claimUsageReset,
      'Rotate secret…': claims.claimRotation,
      'Revoke…': claims.claimRevocation,
    }).map(([action, claim]) => [
      `${action} of a key`,
      { path: '/keys?q=Partner', open: choose(/^Actions for/, action), claim },
    ]),
  ),
  'the end of an exception': { path: '/exceptions', open: choose(/^Actions for/, 'Change end…') },
  'a decision': {
    path: '/decisions?outcome=refused',
    open: press(/^Details of decision/),
    claim: claims.claimDecision,
  },
  'a change': { path: '/audit?action=quota.threshold', open: press(/^Details of change/), claim: claims.claimChange },
  'a new incident': {
    path: '/audit',
    open: async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'Incident: start' }).click();
    },
  },
  'the help for a caller': {
    path: '/audit',
    open: async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type('203.0.113.9');
      await page.getByRole('option', { name: /^Help / }).click();
    },
    claim: claims.claimHelp,
  },
};

/** Returns the end that a dialog has chosen. Empty if it has no such choice, or no end. */
async function listEnds(): Promise<string[]> {
  const dialog = page.locator(ROOT);
  const now = await page.evaluate(() => Date.now());
  const chosen = await dialog.locator('[role=radio][data-state=on]').allTextContents();
  const written = await dialog
    .locator('input[type=datetime-local]')
    .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value));
  return chosen.flatMap((choice) => {
    const [amount, unit] = choice.split(' ');
    const length = { min: 60_000, h: 3_600_000, d: 86_400_000 }[unit ?? ''];
    if (length !== undefined) return [new Date(now + Number(amount) * length).toISOString()];
    if (choice === 'Friday') return [computeEndOfFriday(now, 'UTC')];
    return choice === 'Custom' ? written.map((text) => `${text}Z`) : [];
  });
}

const ROOT = '[role$="dialog"]';

it.each(Object.entries(DIALOGS))('every number of %s is compared', async (_name, { path, open: show, fill, claim }) => {
  await page.goto('/icon.svg');
  answers.clear();
  await open(path);
  await show();
  await page.locator(ROOT).last().waitFor();
  await fill?.();
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() => document.querySelector('[role$="dialog"] [data-slot="skeleton"]') === null);
  await answers.complete();
  const ends = (await listEnds()).map((end) => `Ends ${formatAbsoluteTime(Date.parse(end), 'UTC')}.`);
  const claimed = [...claims.DIALOG_CONSTANTS, { in: 'p', like: /^Ends \d/, say: ends }, ...(claim?.(answers) ?? [])];
  await expectNoOtherNumbers(page, answers, claimed, decodeURIComponent(page.url()), ROOT);
});

it('leaves the console silent', () => {
  expect(complaints).toEqual([]);
});
