import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { OWNER_EMAIL, OWNER_PASSWORD } from '../fixtures/product';
import { product, productSuite } from '../fixtures/product-suite';

/** Pages that anybody may read. Every other page of the build belongs to the console. */
const PUBLIC_PAGES = [
  '/sign-in',
  '/sign-in/second-factor',
  '/invitation',
  '/docs',
  '/docs/[section]',
  '/oauth/callback',
  '/oauth/token',
  '/_not-found',
  '/_global-error',
];
/** What an operator may change. Everything else that changes something, now or later, takes an owner. */
const FOR_OPERATORS = [
  'addAllowlistEntry',
  'removeAllowlistEntry',
  'resetCounters',
  'resetQuota',
  'changeTier',
  'putOverride',
  'removeOverride',
  'addGrant',
  'removeGrant',
  'undoChange',
  'runBatch',
  'setIncident',
  'endIncident',
  'testWebhook',
  'replayDelivery',
  'acknowledgeAlerts',
  'reopenAlerts',
];
/** What changes nothing although it is no GET, and what everybody does for themselves. */
const FOR_VIEWERS = [
  'dryRunPolicies',
  'explainDecision',
  'planState',
  'changeOwnPassword',
  'endOwnSession',
  'endOtherSessions',
  'startSecondFactor',
  'confirmSecondFactor',
  'turnOffSecondFactor',
  'renewRecoveryCodes',
];
/** Who reaches what. `lab-*`, `api-key` and `cron` have credentials of their own. */
const REACHED_BY: Record<string, readonly Role[]> = {
  'any-token': ['gateway', 'viewer', 'operator', 'owner'],
  decide: ['gateway', 'operator', 'owner'],
  viewer: ['viewer', 'operator', 'owner'],
  operator: ['operator', 'owner'],
  owner: ['owner'],
};
const OTHERS = ['public', 'lab-client', 'lab-token', 'api-key', 'cron'];
const ROLES = ['gateway', 'viewer', 'operator', 'owner'] as const;
type Role = (typeof ROLES)[number];

interface Described {
  method: string;
  path: string;
  id: string;
  access: string;
}

let operations: Described[];
const tokens = new Map<Role, string>();
const cookies = new Map<string, string>();

productSuite();
beforeAll(async () => {
  const document = (await (await fetch(`${product.origin}/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string; 'x-sluice-access': string }>>;
  };
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      return { method: method.toUpperCase(), path, id: operation.operationId, access: operation['x-sluice-access'] };
    }),
  );
  for (const role of ROLES) {
    const made = await product.admin('POST', '/v1/admin/tokens', { name: role, role });
    tokens.set(role, ((await made.json()) as { token: string }).token);
  }
  for (const role of ['viewer', 'operator']) {
    const email = `${role}@example.com`;
    const password = `the password of the ${role}`;
    expect((await product.admin('POST', '/v1/admin/members', { email, role, password })).status).toBe(201);
    cookies.set(role, await signIn(email, password));
  }
  cookies.set('owner', await signIn(OWNER_EMAIL, OWNER_PASSWORD));
});

/** The cookies of somebody who has signed in. */
async function signIn(email: string, password: string): Promise<string> {
  const csrf = await fetch(`${product.origin}/api/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const cookieOf = (response: Response) => response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  const response = await fetch(`${product.origin}/api/auth/callback/credentials`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: cookieOf(csrf).join('; ') },
    body: new URLSearchParams({ email, password, csrfToken, callbackUrl: '/', json: 'true' }),
  });
  expect(response.status).toBe(200);
  return [...cookieOf(csrf), ...cookieOf(response)].join('; ');
}

/** Calls an operation with a body that none of them takes: who may do it is asked first. */
async function call({ method, path }: Described, headers: Record<string, string>): Promise<number> {
  const url = path.replace(/\{\w+\}/g, '0198c0de-0000-7000-8000-000000000000');
  const body = method === 'GET' ? {} : { body: '{"no":"such field"}' };
  const response = await fetch(`${product.origin}${url}`, {
    method,
    redirect: 'manual',
    ...body,
    headers: { 'content-type': 'application/json', ...headers },
  });
  await response.body?.cancel();
  return response.status;
}

describe('the operations', () => {
  it('each say who may call them: changing takes an owner, unless an operator may', () => {
    expect(operations.length).toBeGreaterThan(50);
    for (const { id, method, path, access } of operations) {
      expect([...Object.keys(REACHED_BY), ...OTHERS], id).toContain(access);
      if (!path.startsWith('/v1/admin') && access === 'public') continue;
      if (FOR_OPERATORS.includes(id)) expect(access, id).toBe('operator');
      else if (FOR_VIEWERS.includes(id)) expect(access, id).toBe('viewer');
      else if (path.startsWith('/v1/admin')) expect(access, id).toBe(method === 'GET' ? 'viewer' : 'owner');
    }
  });

  it.each(ROLES)('let a token of the role %s do what it may, and nothing else', async (role) => {
    const wrong: string[] = [];
    for (const operation of operations) {
      const allowed = REACHED_BY[operation.access]?.includes(role);
      if (allowed === undefined) continue;
      const status = await call(operation, { authorization: `Bearer ${tokens.get(role)}` });
      const refused = status === 401 || status === 403;
      if (refused === allowed) wrong.push(`${operation.method} ${operation.path}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  it('let nobody in without a credential', async () => {
    const statuses = new Set<string>();
    for (const operation of operations) {
      if (REACHED_BY[operation.access] !== undefined) statuses.add(`${await call(operation, {})}`);
    }
    expect([...statuses]).toEqual(['401']);
  });

  it.each(['viewer', 'operator', 'owner'] as const)('mean the same for the session of a %s', async (role) => {
    const wrong: string[] = [];
    const headers = { cookie: cookies.get(role) ?? '', origin: product.origin, 'sec-fetch-site': 'same-origin' };
    for (const operation of operations) {
      const allowed = REACHED_BY[operation.access]?.includes(role);
      // A password that is refused too often closes the door; the tests of signing in know it.
      if (allowed === undefined || operation.id === 'changeOwnPassword') continue;
      const status = await call(operation, headers);
      const refused = status === 401 || status === 403;
      if (refused === allowed) wrong.push(`${operation.method} ${operation.path}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('the pages of the build', () => {
  const manifest = JSON.parse(readFileSync('.next/app-path-routes-manifest.json', 'utf8')) as Record<string, string>;
  const pages = Object.entries(manifest).filter(([file]) => file.endsWith('/page'));
  const consolePages = pages.map(([, path]) => path).filter((path) => !PUBLIC_PAGES.includes(path));
  const open = (path: string, cookie = '') =>
    fetch(`${product.origin}${path.replace(/\[\w+\]/, '0198c0de-0000-7000-8000-000000000000')}`, {
      redirect: 'manual',
      headers: { cookie },
    });

  it('are public by name, or stand under the layout that asks who it is', () => {
    expect(consolePages.length).toBeGreaterThan(10);
    for (const [file, path] of pages)
      expect([path, file.startsWith('/(console)')]).toEqual([path, consolePages.includes(path)]);
  });

  it.each(consolePages)('%s is for members, of every role, and sends anybody else to sign in', async (path) => {
    const stranger = await open(path);
    const html = await stranger.text();
    const sent = stranger.headers.get('location') ?? /\/sign-in\?callbackUrl=[^"\\;]*/.exec(html)?.[0] ?? '';
    expect(sent).toMatch(/^\/sign-in\?callbackUrl=/);
    expect(html).not.toContain('aria-label="Main"');
    expect([200, 307]).toContain(stranger.status);
    for (const cookie of cookies.values()) {
      const page = await open(path, cookie);
      expect(page.status).toBe(200);
      expect(page.headers.get('cache-control')).toContain('no-store');
      const text = await page.text();
      expect(text).toContain('aria-label="Main"');
      expect(text).not.toMatch(/\/sign-in\?callbackUrl=/);
    }
  });

  it('have no server action, which would be a door of its own', () => {
    const { node, edge } = JSON.parse(readFileSync('.next/server/server-reference-manifest.json', 'utf8'));
    expect([node, edge]).toEqual([{}, {}]);
  });

  it('that are public ask nobody', async () => {
    for (const path of ['/sign-in', '/docs', '/docs/allowlist', '/oauth/callback', '/oauth/token']) {
      expect([path, (await open(path)).status]).toEqual([path, 200]);
    }
  });

  it('that Next makes for what is missing or fails are no pages to visit', async () => {
    for (const path of ['/_not-found', '/_global-error', '/_global-error?_rsc=1'])
      expect([path, (await open(path)).status]).toEqual([path, 404]);
  });
});
