import { ATTACKER, SCRAPER } from './cast.mjs';

const press = (name) => (page) => page.getByRole('button', { name }).first().click();
const exactly = (name) => (page) => page.getByRole('button', { name, exact: true }).first().click();
const stroke = (key) => (page) => page.keyboard.press(key);

const choose = (row, action) => async (page) => {
  await page
    .getByRole('button', { name: `Actions for ${row}` })
    .first()
    .click();
  await page.getByRole('menuitem', { name: action }).click();
};

const inspected = `/limits/inspect?type=ip&identifier=${ATTACKER}`;
const ofKey = (name, action) => ({ name, path: '/keys', act: choose('Demo: Partner feed', action) });
const ofMember = (name, action) => ({ name, path: '/settings?tab=members', act: choose('mei@demo.example', action) });

/** Every dialog, drawer and menu: its picture's name, where it is opened, and how. */
export const DIALOGS = [
  { name: 'palette', path: '/', act: stroke('Control+k') },
  {
    name: 'palette-identity',
    path: '/',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.type(ATTACKER);
    },
  },
  { name: 'shortcuts', path: '/', act: stroke('?') },
  { name: 'help', path: '/', act: press('Help 203.0.113.66'), doc: 'help' },
  {
    name: 'help-action',
    path: inspected,
    act: async (page) => {
      await page.getByRole('button', { name: /^Help/ }).first().click();
      await page.getByRole('button', { name: /^Allow for an hour/ }).click();
    },
  },
  { name: 'help-user', path: '/limits/overrides', act: choose('demo-partner', 'Help…') },
  { name: 'help-range', path: '/limits/overrides', act: choose('198.51.100.0/24', 'Help…') },
  { name: 'decision', path: '/decisions', act: press(/^Details of decision/) },
  { name: 'decision-menu', path: '/decisions', act: press(/^Actions for /) },
  { name: 'change', path: '/audit', act: press(/^Details of change/) },
  {
    name: 'incident',
    path: '/',
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('option', { name: 'Incident: start' }).click();
    },
  },
  { name: 'allowlist-add', path: '/allowlist', act: press('Add entry') },
  { name: 'allowlist-edit', path: '/allowlist', act: choose('203.0.113.200', /^Edit/) },
  { name: 'allowlist-remove', path: '/allowlist', act: choose('203.0.113.200', /^Remove/) },
  { name: 'exception-end', path: '/exceptions', act: choose('203.0.113.200', 'Change end…') },
  { name: 'exception-remove', path: '/exceptions', act: choose('203.0.113.200', 'Remove…') },
  { name: 'limit-new', path: '/limits', act: press('New limit') },
  { name: 'limit-edit', path: '/limits', act: choose('sms', 'Edit…') },
  { name: 'limit-override', path: '/limits', act: choose('sms', /^Override/) },
  { name: 'limit-remove', path: '/limits', act: choose('sms', 'Remove…') },
  { name: 'candidate-new', path: '/limits?tab=candidates', act: press('Try a limit') },
  { name: 'override-add', path: '/limits/overrides', act: press('Add override') },
  { name: 'override-edit', path: '/limits/overrides', act: choose('demo-elif', /^Edit/) },
  { name: 'override-remove', path: '/limits/overrides', act: choose('demo-elif', /^Remove/) },
  { name: 'override-class', path: inspected, act: press(/^Override limit of/) },
  { name: 'counters-reset', path: inspected, act: press('Reset all') },
  { name: 'limits-changed', path: '/limits', act: changeLimit },
  { name: 'key-new', path: '/keys', act: press('New key') },
  ofKey('key-edit', 'Edit…'),
  ofKey('key-grant', 'Grant requests…'),
  ofKey('key-tier', 'Change tier…'),
  ofKey('key-reset', 'Reset usage…'),
  ofKey('key-rotate', 'Rotate secret…'),
  ofKey('key-revoke', 'Revoke…'),
  { name: 'token-new', path: '/settings', act: press('New token') },
  { name: 'token-revoke', path: '/settings', act: press('Revoke Demo: status page') },
  { name: 'alerts-change', path: '/settings?tab=alerts', act: press('Change alerts') },
  { name: 'webhook-new', path: '/settings?tab=alerts', act: press('New webhook') },
  { name: 'member-invite', path: '/settings?tab=members', act: press('Invite member') },
  {
    name: 'member-role',
    path: '/settings?tab=members',
    act: (page) => page.getByLabel('Role of mei@demo.example').selectOption({ label: 'Owner' }),
  },
  { name: 'member-menu', path: '/settings?tab=members', act: press('Actions for mei@demo.example') },
  ofMember('member-password', 'Reset password…'),
  ofMember('member-sessions', 'End sessions…'),
  ofMember('member-remove', 'Remove…'),
  { name: 'members-second-factor', path: '/settings?tab=members', act: (page) => page.getByRole('switch').click() },
  { name: 'second-factor-start', path: '/settings?tab=account', act: exactly('Set up') },
  { name: 'user-menu', path: '/', act: press(/owner@demo/) },
  {
    name: 'acceptance',
    path: '/oauth/assessments',
    follow: 'Demo: lab, before hardening',
    act: async (page) => {
      await page.getByRole('button', { name: /PKCE/ }).first().click();
      await page.getByRole('button', { name: 'Accept this finding…' }).first().click();
    },
  },
  { name: 'help-scraper', path: `/limits/inspect?type=ip&identifier=${SCRAPER}`, act: press(/^Help/) },
];

/** @param {import('playwright-core').Page} page */
async function changeLimit(page) {
  const field = page.getByLabel('Auth, per address, requests');
  await field.fill('4');
  await page.getByText('Last hour:').waitFor();
}
