import { CLOSING, KEYS, MEMBERS, SCRAPERS, SCRAPERS_LIMIT, TOKENS } from './cast.mjs';
import { LIMITS } from './limit-history.mjs';

const DAY = 86_400_000;
const HOUR = 3_600_000;

/**
 * A month of administration through the admin API, oldest first; the product records each change in its audit chain.
 * @returns the keys of the cast, each with its `id` and `secret`; the ids of the exceptions that its traffic meets
 */
export async function administrate({ api, setClock, now }) {
  const at = (days, hours = 0) => setClock(now - days * DAY - hours * HOUR);
  const keys = [];

  await at(29);
  for (const member of MEMBERS) await api('POST', '/v1/admin/members', member);
  const tokens = {};
  for (const { name, role, days } of TOKENS) {
    const expires_at = days === null ? null : new Date(now + days * DAY).toISOString();
    tokens[role] = (await api('POST', '/v1/admin/tokens', { name, role, expires_at })).token;
  }
  const billing = (method, path, body) => api(method, path, body, tokens.owner);
  const onCall = (method, path, body) => api(method, path, body, tokens.operator);

  const plan = KEYS.map((key) => [key.days, () => makeKey(key)]);
  async function makeKey({ used, days, revoked, expires_in_days, quiet_hours, ...input }) {
    const expires_at = expires_in_days === undefined ? null : new Date(now + expires_in_days * DAY).toISOString();
    const { id, secret } = await billing('POST', '/v1/admin/api-keys', { ...input, expires_at });
    keys.push({ ...input, id, secret, used, days, quiet_hours, revoked: revoked === true });
  }
  async function rotate(name) {
    const key = keys.find((candidate) => candidate.name === name);
    key.secret = (await billing('POST', `/v1/admin/api-keys/${key.id}/rotate`, { grace_seconds: 86_400 })).secret;
  }
  const idOf = (name) => keys.find((key) => key.name === name).id;
  const allow = (type, identifier, reason, days = null) =>
    onCall('POST', '/v1/admin/rate-limit/allowlist', {
      type,
      identifier,
      reason,
      expires_at: days === null ? null : new Date(now + days * DAY).toISOString(),
    });
  const override = (type, identifier, name, limit, window_seconds, reason, days = null) =>
    onCall('PUT', '/v1/admin/rate-limit/overrides', {
      type,
      identifier,
      class: name,
      limit,
      window_seconds,
      reason,
      expires_at: days === null ? null : new Date(now + days * DAY).toISOString(),
    });

  const exceptions = {};
  const keep = (name, make) => async () => {
    exceptions[name] = (await make()).id;
  };

  const assess = (name, off) => onCall('POST', '/v1/oauth/assessments', { name, target: { lab: { off } } });
  const weak = ['require-pkce', 'code-single-use', 'code-reuse-revokes', 'refresh-rotation', 'scope-enforced'];

  plan.push(
    [18, () => assess('Demo: lab, before hardening', weak)],
    [11, () => assess('Demo: lab, first fixes', weak.slice(3))],
    [4, () => assess('Demo: lab, after hardening', [])],
    ...LIMITS.map((limit) => [29, () => billing('POST', '/v1/admin/limits', limit)]),
    [27.5, keep('office', () => allow('ip', '192.0.2.0/28', 'Demo: office network'))],
    [26.5, () => allow('ip', '2001:db8:900d::/48', 'Demo: synthetic monitoring')],
    [25.5, () => allow('user_id', 'demo-loadtest', 'Demo: load test before the release, ticket 481', -18)],
    [23, () => override('user_id', 'demo-partner', 'read', 20_000, 3600, 'Demo: contract of the partner')],
    [22, () => api('PUT', '/v1/admin/route-rules', ROUTE_RULES)],
    [20, () => rotate('Demo: Mobile app')],
    [19, keep('scrapers', () => override('ip', SCRAPERS, 'read', SCRAPERS_LIMIT, 60, 'Demo: a network that scrapes'))],
    [15, () => allow('ip', '198.51.100.77', 'Demo: migration of a customer, ticket 512', -9)],
    [14, () => api('PATCH', '/v1/admin/policies', { classes: { read: { ip: { limit: 120 } } } })],
    [9, () => billing('DELETE', `/v1/admin/api-keys/${idOf('Demo: Old importer')}`)],
    [8, () => billing('PUT', quota('Demo: Search indexer', 'tier'), { tier: 'business' })],
    [5, () => override('user_id', CLOSING, 'sensitive', 250, 3600, 'Demo: month-end closing', 9)],
    [3, () => api('PATCH', '/v1/admin/policies', { classes: { auth: { ip: { limit: 8 } } } })],
    [1.2, () => allow('user_id', 'demo-ana', 'Demo: checks the fix on production', 0.9)],
    [0.9, () => allow('ip', '203.0.113.200', 'Demo: customer behind one address, ticket 530', 6)],
  );
  const quota = (name, what) => `/v1/admin/rate-limit/quota/${idOf(name)}/${what}`;
  plan.sort(([one], [other]) => other - one);
  for (const [days, change] of plan) {
    await at(days);
    await change();
  }
  return {
    keys,
    exceptions,
    /** What happened after the counters had something to forgive. */
    async today() {
      await at(0, 5);
      await onCall('POST', quota('Demo: Prototype', 'reset'), { reason: 'Demo: a loop in their test, ticket 533' });
      await at(0, 3);
      const candidate = { place: 'classes.read.ip', limit: 30, window_seconds: 60 };
      await api('PUT', '/v1/admin/candidates', { ...candidate, reason: 'Demo: who needs more than 30 a minute?' });
      await at(0, 0.4);
      await onCall('POST', '/v1/admin/rate-limit/reset', { type: 'ip', identifier: '203.0.113.140' });
    },
  };
}

const ROUTE_RULES = [
  { method: 'POST', path: '/api/transfers/*', class: 'sensitive' },
  { method: '*', path: '/api/account/*', class: 'sensitive' },
  { method: 'POST', path: '/api/exports', class: 'sensitive', cost: 5 },
  { method: 'GET', path: '/api/search', class: 'read', cost: 2 },
  { method: 'POST', path: '/api/search', class: 'read', cost: 2 },
];
