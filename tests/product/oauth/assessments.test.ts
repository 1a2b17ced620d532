import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AssessmentReport, StoredAssessment } from '@/lib/contract/assessment-report';
import { type StreamedAssessment, streamAssessment } from '@/tests/fixtures/assessment-stream';
import { makeEndingSoon } from '@/tests/fixtures/ends-soon';
import { ADMIN_TOKEN, type Product } from '@/tests/fixtures/product';
import { product, productSuite } from '@/tests/fixtures/product-suite';
import { readChanges } from '@/tests/fixtures/read-changes';
import { until } from '@/tests/fixtures/until';
import { wall } from '@/tests/fixtures/wall';

productSuite({ SLUICE_ASSESS_ALLOW: '127.0.0.0/8' });

const PATH = '/v1/oauth/assessments';
const lab = (...off: string[]) => ({ target: { lab: { off } } });
/** Tests one control, and is not kept: only such an order may name its controls. */
const brief = () => ({ ...lab(), keep: false, only: ['require-pkce'] });

async function json<Body>(response: Promise<Response>, status = 200): Promise<Body> {
  const answer = await response;
  expect(answer.status, await answer.clone().text()).toBe(status);
  return (await answer.json()) as Body;
}
const get = (path: string) => product.admin('GET', PATH + path);
const read = (id: string, query = '') => json<AssessmentReport>(get(`/${id}${query}`));
const list = (query: string) => json<StoredAssessment[]>(get(query));
const newestAudit = async () => (await readChanges(product))[0];

async function assess(order: Record<string, unknown>, on: Product = product): Promise<StreamedAssessment> {
  const streamed = await streamAssessment(on, order);
  await streamed.ended;
  expect(streamed.lines.at(-1)?.type).toBe('finished');
  return streamed;
}
async function tokenOf(role: string): Promise<string> {
  const token = await json<{ token: string }>(product.admin('POST', '/v1/admin/tokens', { name: role, role }), 201);
  return token.token;
}
const as = (token: string, method: string, path: string, body?: unknown) =>
  product.admin(method, path, body, { Authorization: `Bearer ${token}` });

/** A server that is asked so slowly that it can be watched. */
let slow: Awaited<ReturnType<typeof wall>>;
const slowly = () => ({ target: { server: { issuer: slow.issuer, login: 'none', requests_per_second: 2 } } });
let secure: StreamedAssessment;
let weak: StreamedAssessment;
beforeAll(async () => {
  slow = await wall(503);
  [secure, weak] = await Promise.all([
    assess({ ...lab(), name: 'Everything on' }),
    assess({ ...lab('require-pkce', 'refresh-rotation'), name: 'Two off' }),
  ]);
});
afterAll(() => slow[Symbol.asyncDispose]());

describe('an assessment', () => {
  test('streams its progress and keeps the same report', async () => {
    expect(weak.response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(weak.lines.slice(0, 2).map(({ type }) => type)).toEqual(['started', 'preflight']);
    const summary = weak.of('finished')[0]?.summary;
    const report = await read(weak.id);
    const { total } = weak.of('started')[0] ?? { total: 0 };
    expect(weak.of('finding').map(({ done }) => done)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
    expect(report).toMatchObject({
      id: weak.id,
      name: 'Two off',
      kind: 'lab',
      target: 'lab',
      state: 'finished',
      summary,
    });
    expect(report.findings).toHaveLength(total);
    const failed = report.findings.filter(({ verdict }) => verdict === 'failed').map(({ control }) => control);
    expect(failed.slice(0, 2)).toEqual(['require-pkce', 'refresh-rotation']);
    expect(summary).toMatchObject({ failed: failed.length, inconclusive: 0, grade: 'F' });
    expect((await read(secure.id)).summary).toMatchObject({ failed: failed.length - 2, grade: 'A' });
    expect(report.threats.find(({ source }) => source === 'RFC 9700 4.8')?.state).toBe('open');
    const [fapi] = report.profiles;
    expect(fapi?.clauses.find(({ source }) => source.endsWith('5.3.2.2 (5)'))).toMatchObject({ state: 'violated' });
    expect(fapi?.grade).not.toBe('A');
  });

  test('is written in every format, under a name', async () => {
    const formats = { json: 'json', markdown: 'md', html: 'html', sarif: 'sarif', junit: 'xml' };
    for (const [format, extension] of Object.entries(formats)) {
      const answer = await get(`/${weak.id}?format=${format}`);
      expect([format, answer.status]).toEqual([format, 200]);
      expect(answer.headers.get('content-disposition')).toMatch(
        new RegExp(`^inline; filename="sluice-lab-.*\\.${extension}"$`),
      );
      expect(answer.headers.get('cache-control')).toContain('no-store');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; style-src /);
      expect(policy).not.toContain('script-src');
      expect(await answer.text()).toContain('refresh-rotation');
    }
    await json(get(`/${weak.id}?format=pdf`), 400);
  });

  test('is compared with any other', async () => {
    expect(await read(weak.id, `?baseline=${secure.id}`)).toMatchObject({
      ...{ new: ['require-pkce', 'refresh-rotation'], fixed: [], unknown: [] },
      baseline: { id: secure.id, name: 'Everything on' },
    });
    expect(await read(secure.id, `?baseline=${weak.id}`)).toMatchObject({ new: [], unknown: [] });
    expect((await read(secure.id, `?baseline=${weak.id}`)).fixed).toEqual(['require-pkce', 'refresh-rotation']);
    expect((await read(weak.id, `?baseline=${weak.id}`)).same?.slice(0, 2)).toEqual([
      'require-pkce',
      'refresh-rotation',
    ]);
    await json(get(`/${weak.id}?baseline=00000000-0000-4000-8000-000000000000`), 404);
    await json(get(`/${weak.id}?baseline=nothing`), 400);
  });

  test('is started many times at once', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, () => assess(brief())));
    expect(new Set(all.map(({ id }) => id)).size).toBe(6);
  });

  test('is not kept where that is not wanted', async () => {
    const { id } = await assess(brief());
    await json(get(`/${id}`), 404);
  });

  test('tests only the named controls, in the order of the catalogue', async () => {
    const only = ['validate-audience', 'require-pkce'];
    const some = await assess({ ...lab('validate-audience'), keep: false, only });
    expect(some.of('started')[0]?.total).toBe(2);
    const verdicts = some.of('finding').map(({ control, verdict }) => [control, verdict]);
    expect(verdicts).toEqual([
      ['require-pkce', 'passed'],
      ['validate-audience', 'failed'],
    ]);
  });

  test('ends when its reader goes away, and what was found is kept', async () => {
    const streamed = await streamAssessment(product, slowly());
    await streamed.next('finding');
    expect(await read(streamed.id)).toMatchObject({ state: 'running', target: slow.issuer });
    streamed.disconnect();
    await until(async () => (await read(streamed.id)).state === 'stopped');
    const { findings, summary } = await read(streamed.id);
    expect(findings.length).toBeGreaterThan(0);
    expect(summary.grade).toBeNull();
    const text = await (await get(`/${streamed.id}?format=markdown`)).text();
    expect(text).toContain('This assessment was stopped before its end');
  });

  test('is removed, even while it runs', async () => {
    const streamed = await streamAssessment(product, slowly());
    expect((await product.admin('DELETE', `${PATH}/${streamed.id}`)).status).toBe(204);
    expect(await newestAudit()).toMatchObject({ action: 'assessment.remove', target: streamed.id });
    await streamed.ended;
    await json(get(`/${streamed.id}`), 404);
    await json(product.admin('DELETE', `${PATH}/${streamed.id}`), 404);
    expect(streamed.of('finished')).toEqual([]);
    expect(streamed.lines.at(-1)).toMatchObject({ type: 'stopped', error_description: 'The assessment was removed.' });
  });
});

describe('the list', () => {
  test('is read page by page', async () => {
    const ids: string[] = [];
    let path: string | null = `${PATH}?limit=3&kind=lab`;
    while (path !== null) {
      const answer = await product.admin('GET', path);
      const page = (await answer.json()) as StoredAssessment[];
      expect(page.length).toBeLessThanOrEqual(3);
      ids.push(...page.map(({ id }) => id));
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
      path = next === undefined ? null : new URL(next, product.origin).pathname + new URL(next, product.origin).search;
    }
    expect(ids).toEqual((await list('?limit=500&kind=lab')).map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain(secure.id);
  });

  test('is filtered and sorted', async () => {
    const names = async (query: string) => (await list(query)).map(({ name }) => name);
    expect(await names('?q=TWO%20off')).toEqual(['Two off']);
    expect(await names('?grade=F&kind=lab')).toEqual(['Two off']);
    expect(await names('?target=lab&q=two')).toEqual(['Two off']);
    expect(await names('?target=la')).toEqual([]);
    expect(await names('?q=on&grade=A,F&sort=name')).toContain('Everything on');
    expect(await names('?to=2020-01-01T00:00:00Z')).toEqual([]);
    for (const query of ['?grade=E', '?kind=all', '?sort=grade', '?from=yesterday', '?nothing=1'])
      await json(get(query), 400);
  });
});

describe('an accepted finding', () => {
  const path = (id: string, control: string) => `${PATH}/${id}/accepted/${control}`;
  const accept = (control: string, body: unknown, id = weak.id) => product.admin('PUT', path(id, control), body);
  const failed = async (control: string) =>
    (await read(weak.id)).findings.find((finding) => finding.control === control);

  test('is said in every format, still counts, and is withdrawn', async () => {
    await json(accept('require-pkce', { reason: 'Legacy client' }));
    expect(await newestAudit()).toMatchObject({ action: 'finding.accept', reason: 'Legacy client' });
    const again = await json(accept('require-pkce', { reason: 'Until the migration', until: '2031-01-01T00:00:00Z' }));
    expect(again).toMatchObject({ reason: 'Until the migration', until: '2031-01-01T00:00:00.000Z' });
    expect((await failed('require-pkce'))?.accepted).toEqual(again);
    expect((await read(weak.id)).summary.grade).toBe('F');
    const text = async (format: string) => (await get(`/${weak.id}?format=${format}`)).text();
    expect(await text('junit')).toMatch(/require-pkce[^\n]*<skipped message="accepted by [^"]*Until the migration"/);
    expect(await text('html')).toContain('<strong>Accepted</strong>');
    const { results } = JSON.parse(await text('sarif')).runs[0];
    const suppressed = results.filter(({ suppressions }: { suppressions?: unknown[] }) => suppressions?.length === 1);
    expect(suppressed.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual(['require-pkce']);
    expect((await product.admin('DELETE', path(weak.id, 'require-pkce'))).status).toBe(204);
    expect(await newestAudit()).toMatchObject({ action: 'finding.withdraw' });
    expect(await failed('require-pkce')).not.toHaveProperty('accepted');
    await json(product.admin('DELETE', path(weak.id, 'require-pkce')), 404);
  });

  test('is accepted no longer than it was said', async () => {
    await makeEndingSoon(async (end) => {
      await accept('refresh-rotation', { reason: 'For a moment', until: end });
      return (await failed('refresh-rotation'))?.accepted?.reason === 'For a moment';
    });
    await until(async () => (await failed('refresh-rotation'))?.accepted === undefined);
    await json(product.admin('DELETE', path(weak.id, 'refresh-rotation')), 404);
  });

  test('is one that failed, with a reason and a time to come', async () => {
    await json(accept('tls', { reason: 'Why not' }), 409);
    await json(accept('no-such-control', { reason: 'Why not' }), 404);
    await json(accept('require-pkce', { reason: ' ' }), 400);
    await json(accept('require-pkce', { reason: 'Late', until: '2020-01-01T00:00:00Z' }), 400);
    await json(accept('require-pkce', { reason: 'x' }, '00000000-0000-4000-8000-000000000000'), 404);
  });
});

describe('what is refused', () => {
  const start = (body: unknown) => product.admin('POST', PATH, body);
  const server = (fields: Record<string, unknown>) => start({ target: { server: fields } });

  test('orders that say nothing sensible', async () => {
    const raw = (body: string, type = 'application/json') =>
      fetch(product.origin + PATH, {
        method: 'POST',
        headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': type },
        body,
      });
    await json(raw('{"target":'), 400);
    await json(raw('{}', 'text/plain'), 415);
    await json(raw(JSON.stringify({ ...lab(), name: 'x'.repeat(70_000) })), 413);
    await json(start({}), 400);
    await json(start({ ...lab(), more: 1 }), 400);
    await json(start(lab('no-such-control')), 400);
    await json(server({}), 400);
    await json(server({ issuer: 'ftp://login.example.com' }), 400);
    await json(server({ issuer: slow.issuer, login: 'cookie' }), 400);
    const client = { client_id: 'x', redirect_uri: 'https://app.example.com/', authentication: 'basic' };
    await json(server({ issuer: slow.issuer, client }), 400);
    await json(start({ target: { server: { issuer: slow.issuer } }, keep: false }), 400);
    await json(start({ ...lab(), only: ['require-pkce'] }), 400);
    for (const only of [[], ['no-such-control'], ['require-pkce', '']])
      await json(start({ ...lab(), keep: false, only }), 400);
    expect((await product.admin('PATCH', PATH, {})).status).toBe(405);
  });

  test('callers without the role for it', async () => {
    expect((await fetch(product.origin + PATH)).status).toBe(401);
    expect((await fetch(product.origin + PATH, { method: 'POST', body: '{}' })).status).toBe(401);
    const viewer = await tokenOf('viewer');
    expect((await as(viewer, 'GET', `${PATH}/${weak.id}`)).status).toBe(200);
    expect((await as(viewer, 'POST', PATH, { target: { server: { issuer: slow.issuer } } })).status).toBe(403);
    expect((await as(viewer, 'DELETE', `${PATH}/${weak.id}`)).status).toBe(403);
    expect((await as(viewer, 'PUT', `${PATH}/${weak.id}/accepted/require-pkce`, { reason: 'x' })).status).toBe(403);
    const streamed = await streamAssessment(product, brief(), viewer);
    await streamed.ended;
    expect(streamed.of('finished')).toHaveLength(1);
  });

  test('the client metadata document is public, and describes the client that signs in at the callback page', async () => {
    const answer = await fetch(`${product.origin}/oauth/client-metadata`);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await json(Promise.resolve(answer))).toMatchObject({
      client_id: `${product.origin}/oauth/client-metadata`,
      redirect_uris: [`${product.origin}/oauth/callback`],
      token_endpoint_auth_method: 'none',
    });
  });

  test('an address for an assessment that waits for none', async () => {
    const answer = (id: string, body: unknown) => product.admin('POST', `${PATH}/${id}/authorization-responses`, body);
    await json(answer(weak.id, { url: 'https://app.example.com/?code=x' }), 409);
    await json(answer(weak.id, { url: 'nothing' }), 400);
    await json(answer('00000000-0000-4000-8000-000000000000', { url: null }), 404);
  });

  test('the paths of earlier versions', async () => {
    for (const path of ['audits', 'server-audits', 'replays/mix-up'])
      await json(product.admin('POST', `/v1/oauth-lab/${path}`, {}), 404);
  });
});

describe('the catalogue and the attacks', () => {
  test('every control is listed, the most severe first', async () => {
    const controls = await json<Record<string, unknown>[]>(product.admin('GET', '/v1/oauth/controls'));
    expect(controls).toHaveLength(weak.of('started')[0]?.total ?? 0);
    expect(controls[0]).toMatchObject({ severity: 'critical', remedy: expect.any(String), needs: expect.any(Array) });
  });

  test('an attack is played', async () => {
    const play = (replay: string, off: string[]) => product.admin('POST', `/v1/oauth/replays/${replay}`, { off });
    expect(await json(play('token-replay', []))).toMatchObject({ result: { kind: 'blocked' } });
    await json(play('no-such-attack', []), 404);
    await json(play('token-replay', ['no-such-control']), 400);
  });
});
