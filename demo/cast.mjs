// Who appears in the demonstration. Addresses are of the ranges kept for documentation (RFC 5737, RFC 3849), names say
// that they are made up, so that nobody takes this for a real installation.

export const OWNER = { email: 'owner@demo.example', password: 'a demonstration only' };
export const ADMIN_TOKEN = 'demo-admin-token-that-opens-only-this-demonstration';

export const MEMBERS = [
  { email: 'ana@demo.example', name: 'Demo: Ana, on call', role: 'operator', password: 'a demonstration only' },
  { email: 'jonas@demo.example', name: 'Demo: Jonas, platform', role: 'owner', password: 'a demonstration only' },
  { email: 'mei@demo.example', name: 'Demo: Mei, support', role: 'viewer', password: 'a demonstration only' },
];

export const TOKENS = [
  { name: 'Demo: edge gateway', role: 'gateway', days: 365 },
  { name: 'Demo: on-call bot', role: 'operator', days: 90 },
  { name: 'Demo: billing sync', role: 'owner', days: 60 },
  { name: 'Demo: status page', role: 'viewer', days: null },
];

/**
 * `used`: the share of the monthly quota that is used by now; `days`: how long ago the key was made; `quiet_hours`: hours
 * without requests until now.
 */
export const KEYS = [
  { name: 'Demo: Mobile app', tier: 'enterprise', client_type: 'public', used: 0.58, days: 28 },
  { name: 'Demo: Web checkout', tier: 'enterprise', used: 0.44, days: 28 },
  { name: 'Demo: Partner feed', tier: 'business', user_id: 'demo-partner', used: 0.91, days: 27 },
  { name: 'Demo: Reporting', tier: 'business', used: 0.37, days: 27 },
  { name: 'Demo: Search indexer', tier: 'business', used: 0.83, days: 26 },
  { name: 'Demo: Webhook relay', tier: 'starter', used: 1.12, overage_allowed: true, days: 25 },
  { name: 'Demo: Nightly export', tier: 'starter', used: 0.64, days: 24 },
  { name: 'Demo: Store locator', tier: 'starter', used: 0.86, days: 24 },
  { name: 'Demo: Hackathon team 7', tier: 'free', user_id: 'demo-hackathon', used: 1, days: 16 },
  { name: 'Demo: Prototype', tier: 'free', used: 0.23, days: 12, quiet_hours: 6 },
  { name: 'Demo: Trial of Acme', tier: 'free', used: 0.07, days: 6, expires_in_days: 14 },
  { name: 'Demo: Old importer', tier: 'starter', used: 0.12, days: 28, revoked: true },
];

/** The user who may do more at the end of the month. */
export const CLOSING = 'demo-elif';
/** `demo-ana` is allowlisted. */
export const USERS = ['demo-ana', 'demo-ben', 'demo-chloe', 'demo-dario', CLOSING, 'demo-partner', 'demo-scraper'];

/** The address that attacks the sign-in until now, and the one that scrapes all the time. */
export const ATTACKER = '203.0.113.66';
export const SCRAPER = '198.51.100.23';
/** The network of the scraper, and the reads that each of its addresses has a minute. */
export const SCRAPERS = '198.51.100.0/24';
export const SCRAPERS_LIMIT = 60;

/** A machine in the office, whose network is allowlisted. */
export const OFFICE = '192.0.2.9';

export const REFUSED_ADDRESSES = [
  '203.0.113.12',
  '203.0.113.140',
  '198.51.100.201',
  '2001:db8:5::1f',
  '2001:db8:71:4::9',
];

export const PATHS = {
  auth: [
    ['POST', '/auth/token'],
    ['POST', '/auth/authorize'],
    ['POST', '/api/auth/callback/credentials'],
  ],
  sensitive: [
    ['POST', '/api/transfers'],
    ['PUT', '/api/account/email'],
    ['POST', '/api/exports'],
  ],
  read: [
    ['GET', '/api/products'],
    ['GET', '/api/search'],
    ['GET', '/api/orders/1042'],
    ['GET', '/api/prices'],
  ],
  write: [
    ['POST', '/api/orders'],
    ['PATCH', '/api/cart/17'],
    ['DELETE', '/api/cart/17/items/3'],
  ],
};
