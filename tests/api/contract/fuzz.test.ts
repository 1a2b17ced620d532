import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Document,
  type DocumentedOperation,
  documentedDeviations,
  generalDeviations,
} from '../../fixtures/described-answer';
import { ADMIN_TOKEN, OWNER_EMAIL, OWNER_PASSWORD, type Product, startProduct } from '../../fixtures/product';
import { type Draft, requestsOf, type Sender } from '../../fixtures/requests-of';
import { type WireAnswer, type WireRequest, wire } from '../../fixtures/wire';

/** Requests to each operation, under each seed. */
const REQUESTS = 26;
const FIXED_SEED = 20_261_121;
const AT_ONCE = 6;
const CRON_SECRET = 'a cron secret of the tests, thirty-two characters or more';
/** What no error may repeat. */
const CANARY = 'kanarie7q';
const ADDRESS = '198.51.100.77';

/** Each good request to these runs for seconds, or asks the network: only what is refused is sent to them. */
const COSTLY = new Set(['auditLab', 'auditServer']);
/** What changes the limits is taken back at once. */
const LIMITING = new Set(['patchPolicies', 'replaceRouteRules']);

const plenty = { limit: 1_000_000, window_seconds: 60 };
const roomy = { ip: plenty, user: plenty, on_store_failure: 'local' };
const ROOM = {
  classes: { auth: roomy, read: roomy, write: roomy, sensitive: roomy },
  clients: { public: plenty, confidential: plenty },
  global: { limit: 1_000_000, window_seconds: 1 },
  tiers: { free: 1_000_000, starter: 1_000_000, business: 1_000_000, enterprise: 1_000_000 },
};

let product: Product;
let send: (request: WireRequest) => Promise<WireAnswer>;
let document: Document;
let operations: { path: string; method: string; operation: DocumentedOperation }[];
let credentials: Record<Sender, Record<string, string>>;
/** Ids that exist, by the path in which they stand. */
const ids: { pattern: RegExp; known: string[] }[] = [
  { pattern: /\/(?:api-keys|quota|statistics\/keys)\//, known: [] },
  { pattern: /\/tokens\//, known: [] },
  { pattern: /\/members\//, known: [] },
  { pattern: /\/replays\//, known: ['token-replay'] },
  { pattern: /\/envoy\//, known: ['api/orders'] },
];

beforeAll(async () => {
  product = await startProduct({ env: { CRON_SECRET, SLUICE_TRUSTED_PROXIES: '127.0.0.1' } });
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
    ids[0]?.known.push((await made('/v1/admin/api-keys', { name: `key ${n}`, tier: 'starter' })).id);
    ids[1]?.known.push((await made('/v1/admin/tokens', { name: `token ${n}`, role: 'viewer' })).id);
    ids[2]?.known.push((await made('/v1/admin/members', { email: `m${n}@example.com`, role: 'viewer' })).id);
  }
  document = (await (await fetch(`${product.origin}/v1/openapi.json`)).json()) as Document;
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}, 120_000);
afterAll(() => product?.stop());

const makeRoom = async () => {
  await product.admin('PATCH', '/v1/admin/policies', ROOM);
  await product.admin('PUT', '/v1/admin/route-rules', []);
};

async function signIn(): Promise<string> {
  const jar = new Map<string, string>();
  const call = async (path: string, form?: Record<string, string>) => {
    const response = await fetch(`${product.origin}${path}`, {
      redirect: 'manual',
      headers: { Cookie: [...jar].map((pair) => pair.join('=')).join('; '), Origin: product.origin },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const one of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (one.split(';')[0] ?? '').split(/=(.*)/s);
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

/** The draft with who sends it, from an address of the test, and with an id that exists. */
function ready(draft: Draft, costly: boolean, turn: number): WireRequest {
  const sender = costly && !draft.broken ? 'gateway' : draft.sender;
  const known = ids.find(({ pattern }) => pattern.test(draft.target))?.known ?? [''];
  return {
    method: draft.method,
    target: draft.target.replace(/\{\w+\}/, known[turn % known.length] ?? ''),
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
        ...methodDeviations(document.paths[path] ?? {}, request, answer),
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
function methodDeviations(
  item: Record<string, DocumentedOperation>,
  request: WireRequest,
  answer: WireAnswer,
): string[] {
  const method = request.method.toLowerCase();
  const operation = item[method === 'head' ? 'get' : method];
  if (operation !== undefined) return documentedDeviations(document, operation, request, answer);
  if (method !== 'options' || answer.status === 405) {
    // What stands before the operation may refuse a request of any method.
    return [400, 401, 405].includes(answer.status) ? [] : [`is a ${answer.status} though there is no such operation`];
  }
  return answer.status === 204 && answer.headers.allow !== undefined ? [] : [`is a ${answer.status} to OPTIONS`];
}

describe.each([
  ['a fixed seed', FIXED_SEED],
  ['a seed of its own', Math.floor(Math.random() * 2 ** 31)],
])('under %s', (_, seed) => {
  it(`every operation answers what the document says (seed ${seed})`, async () => {
    console.log(`fuzz: seed ${seed}`);
    const { sent, statuses, found } = await fuzz(seed, REQUESTS);
    console.log(
      `fuzz: ${sent} requests: ${[...statuses]
        .sort()
        .map((pair) => pair.join(' × '))
        .join(', ')}`,
    );
    expect(found).toEqual([]);
    expect(sent).toBeGreaterThan(1_500);
    for (const status of [200, 201, 204, 400, 401, 403, 404, 405, 409, 412, 413, 415])
      expect(statuses.get(status) ?? 0, `answers with ${status}`).toBeGreaterThan(0);
    expect((await send({ method: 'GET', target: '/healthz' })).status).toBe(200);
  }, 120_000);
});
