import { ATTACKER } from './cast.mjs';
import {
  invite,
  keyId,
  memberWithoutSecondFactor,
  memberWithSecondFactor,
  requireSecondFactor,
} from './screens-people.mjs';

const inspected = `/limits/inspect?type=ip&identifier=${ATTACKER}`;
const explained = `/limits/explain?method=POST&path=/auth/token&ip=${ATTACKER}`;
const assessment = { path: '/oauth/assessments', follow: 'Demo: lab, before hardening' };

/** Takes the client through the lab's flow, up to the token response. @param {import('playwright-core').Page} page */
async function redeemCode(page) {
  const [window] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: "Open the server's page" }).click(),
  ]);
  await window.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('button', { name: 'Next: Token' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Verified (RS256).').waitFor();
  await page.evaluate(() => window.scrollTo({ top: 0 }));
}

/** @param {import('playwright-core').Page} page */
async function judgeToken(page) {
  await page.getByRole('button', { name: 'Get a token from the lab' }).click();
  await page.getByText('Verified.').waitFor();
}

/** Runs the builder's flow and shows one of its results. */
const flow = (tab) => async (page) => {
  await page.getByRole('button', { name: 'Run the flow' }).click();
  await page.getByText('the protected data').waitFor();
  // The steps have a Token, too, and come first.
  if (tab !== 'Response') await page.getByRole('tab', { name: tab, exact: true }).last().click();
};

/** Switches PKCE off, and waits until that was measured. */
async function withoutPkce(page) {
  await page.getByRole('switch', { name: /^PKCE is required/ }).click();
  await page.getByText('1 failed').first().waitFor();
}

async function showFailure(page) {
  await withoutPkce(page);
  await page.getByRole('button', { name: 'Run the flow' }).click();
  await page.getByText('the protected data').waitFor();
  await page.getByRole('tab', { name: /^Matrix/ }).click();
  await page
    .getByRole('button', { name: /^PKCE is not required/ })
    .last()
    .click();
}

async function playAttack(page) {
  await withoutPkce(page);
  await page.getByRole('tab', { name: /^Attacks/ }).click();
  await page.getByRole('region', { name: 'Result' }).getByRole('button', { name: 'Play Code interception' }).click();
  await page.getByText('The attacker read the victim').first().waitFor();
}

/** Without a challenge: the insecure lab accepts it, the secure one does not. */
async function compareRequests(page) {
  await page.getByRole('radio', { name: 'insecure' }).click();
  await page.getByRole('switch', { name: 'Compare with secure config' }).click();
  await page.getByLabel('code_challenge', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Response (secure config)').waitFor();
}

/** Opens the first lesson, and waits for its answers. */
async function showLesson(page) {
  await page.getByRole('button', { name: 'Show me: The audience of a token is checked' }).first().click();
  await page.locator('[data-differs]').first().waitFor();
}

async function chooseLab(page) {
  await page.getByText('Built-in lab', { exact: true }).first().click();
  await page.getByText('FAPI 2.0', { exact: true }).waitFor();
}

async function failSignIn(page, { email }) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Wrong e-mail or password').waitFor();
}

async function askForCode(page, { email, password }) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Code from your authenticator app').waitFor();
}

async function startSecondFactor(page, { password }) {
  await page.getByLabel('Your password').fill(password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
}

/**
 * Every screen: its picture's name, where it is, what is done there. `prepare` makes what it needs; `as` signs in as
 * somebody else; `doc` names the picture that the docs show. One that answers 404 (switched off) is left out; `empty`: only of a fresh installation.
 */
export const SCREENS = [
  { name: 'sign-in', path: '/sign-in', anonymous: true },
  { name: 'sign-in-failed', path: '/sign-in', anonymous: true, once: true, prepare: (demo) => demo, act: failSignIn },
  {
    name: 'sign-in-second-factor',
    path: '/sign-in',
    anonymous: true,
    once: true,
    prepare: memberWithSecondFactor,
    act: askForCode,
  },
  { name: 'invitation', path: ({ url }) => url, anonymous: true, prepare: invite },
  { name: 'invitation-gone', path: `/invitation#sli_${'0'.repeat(43)}`, anonymous: true },
  { name: 'first-hour', path: '/', empty: true },
  { name: 'overview', path: '/', doc: 'overview-light' },
  { name: 'overview-30-days', path: '/?span=30d' },
  { name: 'decisions', path: '/decisions' },
  { name: 'decisions-by-caller', path: '/decisions?by=caller&range=24h' },
  { name: 'limits', path: '/limits' },
  { name: 'named-limits', path: '/limits', act: (page) => page.locator('#named-limits').scrollIntoViewIfNeeded() },
  { name: 'route-rules', path: '/limits?tab=routes' },
  { name: 'candidates', path: '/limits?tab=candidates' },
  { name: 'inspector', path: inspected },
  { name: 'inspector-range', path: '/limits/inspect?type=ip&identifier=198.51.100.0/24' },
  { name: 'inspector-start', path: '/limits/inspect' },
  { name: 'explain', path: explained },
  { name: 'explain-start', path: '/limits/explain' },
  { name: 'overrides', path: '/limits/overrides' },
  { name: 'allowlist', path: '/allowlist' },
  { name: 'exceptions', path: '/exceptions' },
  { name: 'keys', path: '/keys' },
  { name: 'key', path: '/keys', follow: 'Demo: Partner feed' },
  { name: 'audit', path: '/audit' },
  { name: 'audit-target', path: ({ id }) => `/audit?target=${id}`, prepare: (demo) => keyId(demo, 'Demo: Mobile app') },
  { name: 'settings', path: '/settings' },
  { name: 'members', path: '/settings?tab=members' },
  { name: 'alerts', path: '/settings?tab=alerts' },
  { name: 'inbox', path: '/alerts' },
  { name: 'inbox-history', path: '/alerts?tab=history' },
  { name: 'account', path: '/settings?tab=account' },
  { name: 'about', path: '/settings?tab=about' },
  { name: 'oauth-builder', path: '/oauth' },
  { name: 'oauth-builder-flow', path: '/oauth', once: true, act: flow('Response'), doc: 'oauth-builder' },
  { name: 'oauth-builder-token', path: '/oauth', once: true, act: flow('Token') },
  { name: 'oauth-builder-matrix', path: '/oauth', once: true, act: showFailure, doc: 'oauth-matrix' },
  { name: 'oauth-builder-sequence', path: '/oauth', once: true, act: flow('Sequence') },
  { name: 'oauth-builder-attacks', path: '/oauth', once: true, act: playAttack, doc: 'oauth-replay' },
  { name: 'oauth-builder-compare', path: '/oauth', once: true, act: compareRequests, doc: 'oauth-compare' },
  { name: 'oauth-builder-lessons', path: '/oauth?view=lessons' },
  { name: 'oauth-builder-lesson', path: '/oauth', once: true, act: showLesson },
  { name: 'oauth-client', path: '/oauth/client', act: redeemCode, doc: 'oauth-client' },
  { name: 'oauth-token', path: '/oauth/token', act: judgeToken, doc: 'oauth-token' },
  { name: 'oauth-callback', path: '/oauth/callback?code=a-code&state=a-state' },
  { name: 'oauth-assessments', path: '/oauth/assessments' },
  { name: 'oauth-assessment', ...assessment, doc: 'oauth-assessment' },
  { name: 'oauth-assessment-profiles', ...assessment, tab: 'profiles' },
  { name: 'oauth-assessment-threats', ...assessment, tab: 'threats' },
  { name: 'oauth-assessment-set-up', ...assessment, tab: 'set-up' },
  { name: 'oauth-assessment-new', path: '/oauth/assessments/new' },
  { name: 'oauth-assessment-new-lab', path: '/oauth/assessments/new', act: chooseLab },
  { name: 'api-reference', path: '/docs' },
  { name: 'api-reference-keys', path: '/docs/api-keys' },
  { name: 'not-found', path: '/no-such-page', status: 404 },
  {
    name: 'second-factor-required',
    path: '/sign-in/second-factor',
    once: true,
    as: memberWithoutSecondFactor,
    prepare: requireSecondFactor,
    act: startSecondFactor,
  },
];
