import { ATTACKER } from './cast.mjs';

const inspected = `/limits/inspect?type=ip&identifier=${ATTACKER}`;

/** Every screen: the name of its picture, and where it is. A page that answers 404 (a part that is switched off) is left out. */
export const SCREENS = [
  { name: 'sign-in', path: '/sign-in', anonymous: true },
  { name: 'overview', path: '/' },
  { name: 'decisions', path: '/decisions' },
  { name: 'limits', path: '/limits' },
  { name: 'route-rules', path: '/limits?tab=routes' },
  { name: 'inspector', path: inspected },
  { name: 'overrides', path: '/limits/overrides' },
  { name: 'allowlist', path: '/allowlist' },
  { name: 'keys', path: '/keys' },
  { name: 'key', path: '/keys', follow: 'Demo: Partner feed' },
  { name: 'audit', path: '/audit' },
  { name: 'settings', path: '/settings' },
  { name: 'members', path: '/settings?tab=members' },
  { name: 'about', path: '/settings?tab=about' },
  { name: 'oauth-builder', path: '/oauth' },
  { name: 'oauth-token', path: '/oauth/token', anonymous: true },
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
