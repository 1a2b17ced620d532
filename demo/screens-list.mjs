import { ATTACKER } from './cast.mjs';

const inspected = `/limits/inspect?type=ip&identifier=${ATTACKER}`;

/** Takes the lab through its flow, up to the token response. @param {import('playwright-core').Page} page */
async function redeemCode(page) {
  const [window] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('button', { name: "Open the server's page" }).click(),
  ]);
  await window.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('button', { name: 'Next: Token' }).click();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('Verified (ES256).').waitFor();
  await page.evaluate(() => window.scrollTo({ top: 0 }));
}

/** @param {import('playwright-core').Page} page */
async function judgeToken(page) {
  await page.getByRole('button', { name: 'Get a token from the lab' }).click();
  await page.getByText('Verified.').waitFor();
}

/** Every screen: its picture's name, where it is, what is done there. One that answers 404 (switched off) is left out. */
export const SCREENS = [
  { name: 'sign-in', path: '/sign-in', anonymous: true },
  { name: 'overview', path: '/' },
  { name: 'decisions', path: '/decisions' },
  { name: 'limits', path: '/limits' },
  { name: 'route-rules', path: '/limits?tab=routes' },
  { name: 'inspector', path: inspected },
  { name: 'explain', path: `/limits/explain?method=POST&path=/auth/token&ip=${ATTACKER}` },
  { name: 'overrides', path: '/limits/overrides' },
  { name: 'allowlist', path: '/allowlist' },
  { name: 'keys', path: '/keys' },
  { name: 'key', path: '/keys', follow: 'Demo: Partner feed' },
  { name: 'audit', path: '/audit' },
  { name: 'settings', path: '/settings' },
  { name: 'members', path: '/settings?tab=members' },
  { name: 'about', path: '/settings?tab=about' },
  { name: 'oauth-builder', path: '/oauth' },
  { name: 'oauth-client', path: '/oauth/client', act: redeemCode },
  { name: 'oauth-token', path: '/oauth/token', act: judgeToken },
  { name: 'oauth-assessments', path: '/oauth/assessments' },
  { name: 'oauth-assessment', path: '/oauth/assessments', follow: 'Demo: lab, before hardening' },
  {
    name: 'oauth-assessment-threats',
    path: '/oauth/assessments',
    follow: 'Demo: lab, before hardening',
    tab: 'threats',
  },
  { name: 'oauth-assessment-new', path: '/oauth/assessments/new' },
  { name: 'api-reference', path: '/docs' },
  { name: 'api-reference-keys', path: '/docs/api-keys' },
];
