import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Document,
  type DocumentedOperation,
  documentedDeviations,
  generalDeviations,
} from '../../fixtures/described-answer';
import { ADMIN_TOKEN, OWNER_EMAIL, OWNER_PASSWORD } from '../../fixtures/product';
import { newKey, product, productSuite } from '../../fixtures/product-suite';
import { type Draft, requestsOf, type Sender } from '../../fixtures/requests-of';
import { type WireAnswer, type WireRequest, wire } from '../../fixtures/wire';

/** Requests to each operation, under each seed. */
const REQUESTS = 32;
const FIXED_SEED = 20_261_121;
const AT_ONCE = 6;
const CRON_SECRET = 'a cron secret of the tests, thirty-two characters or more';
/** What no error may repeat. */
const CANARY = 'kanarie7q';
const ADDRESS = '198.51.100.77';

/** Each good request to these runs for seconds, or asks the network: only what is refused is sent to them. */
const COSTLY = new Set(['startAssessment']);
/** What changes the limits, or who may come in, is taken back at once. */
const LIMITING = new Set(['applyState', 'patchPolicies', 'replaceRouteRules', 'undoChange', 'putSignInSettings']);

const plenty = { limit: 1_000_000, window_seconds: 60 };
const roomy = { ip: plenty, user: plenty, on_store_failure: 'local' };
const ROOM = {
  classes: { auth: roomy, read: roomy, write: roomy, sensitive: roomy, lab: roomy },
  clients: { public: plenty, confidential: plenty },
  global: { limit: 1_000_000, window_seconds: 1 },
  tiers: { free: 1_000_000, starter: 1_000_000, business: 1_000_000, enterprise: 1_000_000 },
};

let send: (request: WireRequest) => Promise<WireAnswer>;
let document: Document;
let operations: { path: string; method: string; operation: DocumentedOperation }[];
let credentials: Record<Sender, Record<string, string>>;
/** Ids that exist, by the path in which they stand. */
const ids: { pattern: RegExp; existing: string[] }[] = [
  { pattern: /\/(?:api-keys|quota|statistics\/keys)\//, existing: [] },
  { pattern: /\/tokens\//, existing: [] },
  { pattern: /\/members\//, existing: [] },
  { pattern: /\/assessments\//, existing: [] },
  { pattern: /\/replays\//, existing: ['token-replay'] },
  { pattern: /\/envoy\//, existing: ['api/orders'] },
  { pattern: /\/audit\//, existing: Array.from({ length: 40 }, (_, index) => String(index + 20)) },
  { pattern: /\/session\/list\//, existing: ['0198c0de-0000-7000-8000-000000000000'] },
  { pattern: /\/gateways\//, existing: ['nginx', 'caddy'] },
  { pattern: /\/admin\/limits\//, existing: ['sms'] },
  { pattern: /\/webhooks\//, existing: [] },
];

productSuite({ CRON_SECRET, SLUICE_TRUSTED_PROXIES: '127.0.0.1' });
beforeAll(async () => {
  send = wire(product.port, AT_ONCE);
  await makeRoom();
  const made = async (path: string, body: object) => {
    const answer = await product.admin('POST', path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { id: string; secret: string; token: string };
  };
  const key = await made('/v1/admin/api-keys', { name: 'the caller', tier: 'free' });
  const token = async (role: string) => (await made('/v1/admin/tokens', { name: role, role })).token;
  const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` });
  const cookie = await signIn();
  credentials = {
    owner: bearer(ADMIN_TOKEN),
    operator: bearer(await token('operator')),
    viewer: { 'X-Admin-Token': await token('viewer') },
    gateway: bearer(await token('gateway')),
    session: { Cookie: cookie, Origin: product.origin },
    'foreign session': { Cookie: cookie, Origin: 'https://evil.example' },
    key: { 'X-API-Key': key.secret },
    cron: bearer(CRON_SECRET),
    wrong: bearer('slt_0000000000000000000000000000000000000000000'),
    several: { ...bearer(ADMIN_TOKEN), 'X-Admin-Token': 'another token' },
    nobody: {},
  };
  for (let n = 0; n < 40; n += 1) {
    ids[0]?.existing.push((await made('/v1/admin/api-keys', { name: `key ${n}`, tier: 'starter' })).id);
    ids[1]?.existing.push((await made('/v1/admin/tokens', { name: `token ${n}`, role: 'viewer' })).id);
    ids[2]?.existing.push((await made('/v1/admin/members', { email: `m${n}@example.com`, role: 'viewer' })).id);
    // An address that is closed: nothing is sent, and no name is looked up elsewhere.
    const webhook = { name: `webhook ${n}`, url: 'https://localhost:9/hook' };
    ids.at(-1)?.existing.push((await made('/v1/admin/webhooks', webhook)).id);
  }
  for (let n = 0; n < 3; n += 1) ids[3]?.existing.push(await assessLab());
  document = (await (await fetch(`${product.origin}/v1/openapi.json`)).json()) as Document;
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
});

const makeRoom = async () => {
  await product.admin('PATCH', '/v1/admin/policies', ROOM);
  await product.admin('PUT', '/v1/admin/route-rules', []);
  await product.admin('PUT', '/v1/admin/sign-in', { second_factor: 'optional' });
};

async function signIn(): Promise<string> {
  const jar = new Map<string, string>();
  const call = async (path: string, form?: Record<string, string>) => {
    const response = await fetch(`${product.origin}${path}`, {
      redirect: 'manual',
      headers: { Cookie: [...jar].map((pair) => pair.join('=')).join('; '), Origin: product.origin },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (cookie.split(';')[0] ?? '').split(/=(.*)/s);
      jar.set(name, value);
    }
    return response;
  };
  const { csrfToken } = (await (await call('/api/auth/csrf')).json()) as { csrfToken: string };
  await call('/api/auth/callback/credentials', {
    csrfToken,
    email: OWNER_EMAIL,
    password: OWNER_PASSWORD,
    callbackUrl: '/',
    json: 'true',
  });
  return [...jar].map((pair) => pair.join('=')).join('; ');
}

const fillIn = (path: string, id = '') => path.replace('{control}', 'require-pkce').replace(/\{\w+\}/, id);

/** Assesses the lab, and gives the id of what was kept. */
async function assessLab(): Promise<string> {
  const started = await product.admin('POST', '/v1/oauth/assessments', { target: { lab: { off: ['require-pkce'] } } });
  const [first = ''] = (await started.text()).split('\n');
  return (JSON.parse(first) as { id: string }).id;
}

/** The draft with who sends it, from an address of the test, and with an id that exists. */
function ready(draft: Draft, costly: boolean, turn: number): WireRequest {
  const sender = costly && !draft.broken ? 'gateway' : draft.sender;
  const existing = ids.find(({ pattern }) => pattern.test(draft.target))?.existing ?? [''];
  return {
    method: draft.method,
    target: fillIn(draft.target, existing[turn % existing.length]),
    headers: { 'X-Forwarded-For': ADDRESS, ...credentials[sender], ...draft.headers },
    body: draft.body,
  };
}

/** What is wrong with the answers to requests, by operation and kind, with one example of each. */
async function fuzz(
  seed: number,
  requests: number,
): Promise<{ sent: number; statuses: Map<number, number>; found: string[] }> {
  const found = new Map<string, string>();
  const statuses = new Map<number, number>();
  const queue = operations.flatMap(({ path, method, operation }, index) =>
    fc
      .sample(requestsOf(document, path, method, operation, CANARY), { seed: seed + index, numRuns: requests })
      .map((draft, turn) => ({ path, operation, draft, turn })),
  );
  const sent = queue.length;
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { path, operation, draft, turn } = next;
      const request = ready(draft, COSTLY.has(operation.operationId), turn);
      const answer = await send(request);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (LIMITING.has(operation.operationId) && answer.status === 200 && request.method !== 'GET') await makeRoom();
      for (const deviation of [
        ...generalDeviations(request, answer, CANARY),
        ...methodDeviations(path, request, answer),
      ]) {
        const where = `${request.method} ${path}, ${draft.kind}: ${deviation}`;
        found.set(where, `${where}\n    ${JSON.stringify({ ...request, body: String(request.body).slice(0, 200) })}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { sent, statuses, found: [...found.values()].sort() };
}

/** What the document says depends on the method; where it has no operation the answer is 405, or 204 to OPTIONS. */
function methodDeviations(path: string, request: WireRequest, answer: WireAnswer): string[] {
  const item = document.paths[path] ?? {};
  // Envoy repeats the method of its own client, whatever it is.
  if (path.startsWith('/v1/forward-auth/envoy/') && request.method === 'OPTIONS') return [];
  const method = request.method.toLowerCase();
  const operation = item[method === 'head' ? 'get' : method];
  if (operation !== undefined) return documentedDeviations(document, operation, request, answer);
  if (method !== 'options' || answer.status === 405) {
    // What stands before the operation may refuse a request of any method.
    return [400, 401, 405].includes(answer.status) ? [] : [`is a ${answer.status} though there is no such operation`];
  }
  return answer.status === 204 && answer.headers.allow !== undefined ? [] : [`is a ${answer.status} to OPTIONS`];
}

const SEEDS = process.env.SLUICE_TEST_LONG === '1' ? [FIXED_SEED, Math.floor(Math.random() * 2 ** 31)] : [FIXED_SEED];

describe.each(SEEDS)('under seed %i', (seed) => {
  it('every operation answers what the document says', async () => {
    console.log(`fuzz: seed ${seed}`);
    const { sent, statuses, found } = await fuzz(seed, REQUESTS);
    console.log(
      `fuzz: ${sent} requests: ${[...statuses]
        .sort()
        .map((pair) => pair.join(' × '))
        .join(', ')}`,
    );
    expect(found).toEqual([]);
    expect(sent).toBeGreaterThan(2_000);
    for (const status of [200, 201, 204, 400, 401, 403, 404, 405, 409, 413, 415])
      expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(0);
    expect((await send({ method: 'GET', target: '/healthz' })).status).toBe(200);
  }, 600_000);
});

describe('what is conditional', () => {
  const conditional = () =>
    operations.filter(({ operation }) => operation.parameters?.some(({ $ref }) => $ref?.endsWith('/IfMatch')));
  const existing = (path: string) => fillIn(path, ids.find(({ pattern }) => pattern.test(path))?.existing.at(-1));
  const ask = (path: string, method: string, operation: DocumentedOperation, ifMatch: string) => {
    const example = operation.requestBody?.content['application/json']?.example;
    return send({
      method: method.toUpperCase(),
      target: existing(path),
      headers: { ...credentials.owner, 'Content-Type': 'application/json', 'If-Match': ifMatch },
      body: example === undefined ? undefined : JSON.stringify(example),
    });
  };

  it('refuses a stale If-Match with 412 and a malformed one with 400, and takes *', async () => {
    ids[0]?.existing.push(await freshKey());
    await product.admin('DELETE', `/v1/admin/api-keys/${await keyNamed('Reports, nightly')}`);
    // The requests before may have created or removed it.
    const limit = { name: 'sms', windows: [{ limit: 1, seconds: 30 }] };
    expect([201, 409]).toContain((await product.admin('POST', '/v1/admin/limits', limit)).status);
    // What the requests before left of the policies may refuse the exceptions of an example.
    const anyLife = await product.admin('PATCH', '/v1/admin/policies', { exceptions: { longest_days: null } });
    expect(anyLife.status).toBe(200);
    expect(
      conditional()
        .map(({ operation }) => operation.operationId)
        .sort(),
    ).toEqual([
      'applyState',
      'changeTier',
      'patchPolicies',
      'putAlertSettings',
      'removeLimit',
      'replaceRouteRules',
      'revokeApiKey',
      'updateApiKey',
      'updateLimit',
    ]);
    const order = conditional().sort((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'));
    for (const { path, method, operation } of order) {
      const stale = await ask(path, method, operation, '"stale"');
      expect([operation.operationId, stale.status, JSON.parse(stale.body).error]).toEqual([
        operation.operationId,
        412,
        'precondition_failed',
      ]);
      expect(stale.headers.etag).toMatch(/^".+"$/);
      expect((await ask(path, method, operation, 'W/"stale", "older"')).status).toBe(412);
      expect((await ask(path, method, operation, 'stale')).status).toBe(400);
      const done = await ask(path, method, operation, '*');
      expect(done.status, `${operation.operationId}: ${done.body}`).toBeLessThan(300);
    }
    await makeRoom();
  });

  it('ignores If-Match where nothing says that it counts', async () => {
    for (const { path, method, operation } of operations.filter((entry) => !conditional().includes(entry))) {
      if (COSTLY.has(operation.operationId)) continue;
      const { status } = await ask(path, method, operation, '"stale"');
      expect(status, operation.operationId).not.toBe(412);
    }
    await makeRoom();
  });

  /** The name of the example, which the requests before may have given to another key. */
  async function keyNamed(name: string): Promise<string> {
    const found = await product.admin('GET', `/v1/admin/api-keys?q=${encodeURIComponent(name)}`);
    return ((await found.json()) as { id: string }[])[0]?.id ?? '';
  }

  async function freshKey(): Promise<string> {
    const body = { name: 'for a condition', tier: 'starter' };
    return ((await (await product.admin('POST', '/v1/admin/api-keys', body)).json()) as { id: string }).id;
  }
});

describe('what is refused for a limit', () => {
  const PROTECTED = /^\/(?:auth|api)\//;
  let addresses = 0;
  const from = () => {
    addresses += 1;
    return { 'X-Forwarded-For': `203.0.${addresses >> 8}.${addresses & 255}` };
  };
  const tight = { limit: 1, window_seconds: 60 };
  const narrow = { ip: tight, user: tight, on_store_failure: 'local' };

  async function refused(status: number, headers: () => Record<string, string>, times: number): Promise<void> {
    const found: string[] = [];
    for (const { path, method, operation } of operations.filter((entry) => PROTECTED.test(entry.path))) {
      for (const accept of ['*/*', 'application/problem+json']) {
        const request = { method: method.toUpperCase(), target: path, headers: { ...headers(), Accept: accept } };
        const answers = await Promise.all(Array.from({ length: times }, () => send(request)));
        const where = `${request.method} ${path}`;
        const refusals = answers.filter((answer) => answer.status === status);
        if (refusals.length === 0) found.push(`${where} is never ${status}`);
        for (const answer of refusals) {
          found.push(...generalDeviations(request, answer, CANARY).map((deviation) => `${where}: ${deviation}`));
          found.push(
            ...documentedDeviations(document, operation, request, answer).map((deviation) => `${where}: ${deviation}`),
          );
        }
      }
    }
    expect(found).toEqual([]);
  }

  it('of an address is 429 as the document says, on every protected path', async () => {
    await product.admin('PATCH', '/v1/admin/policies', { classes: { auth: narrow, read: narrow, write: narrow } });
    await refused(429, from, 2);
    await makeRoom();
  });

  it('of a quota is 429, and of an unknown key 401', async () => {
    // One that no random request has given another tier, a user or an end.
    const { secret } = await newKey();
    await product.admin('PATCH', '/v1/admin/policies', { tiers: { free: 0 } });
    await refused(429, () => ({ ...from(), 'X-API-Key': secret }), 1);
    await refused(401, () => ({ ...from(), 'X-API-Key': CANARY }), 1);
    await makeRoom();
  });

  it('of the instance is 503 with Retry-After', async () => {
    await product.admin('PATCH', '/v1/admin/policies', { global: { limit: 1, window_seconds: 60 } });
    await refused(503, from, 2);
    await makeRoom();
  });
});
