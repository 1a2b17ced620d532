import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AssessmentReport, StoredAssessment } from '@/lib/contract/assessment-report';
import { streamAssessment } from '@/tests/fixtures/assessment-stream';
import { type Instances, startInstances } from '@/tests/fixtures/instances';
import { CLIENTS, type OidcServer, oidcServer, person, REDIRECT_URI, SCOPE } from '@/tests/fixtures/oidc-server';
import type { Product } from '@/tests/fixtures/product';
import { until } from '@/tests/fixtures/until';

const PATH = '/v1/oauth/assessments';
const SECRET = randomBytes(24).toString('base64url');

let provider: OidcServer;
let instances: Instances;
let [here, there]: Product[] = [];
beforeAll(async () => {
  const client = { client_id: 'with-a-secret', client_secret: SECRET, redirect_uris: [REDIRECT_URI], scope: SCOPE };
  provider = await oidcServer({
    consent: 'ask',
    clients: [{ ...client, grant_types: ['authorization_code', 'refresh_token'] }],
  });
  instances = await startInstances({
    count: 2,
    shared: 'file',
    env: [1, 2].map(() => ({ SLUICE_ASSESS_ALLOW: '127.0.0.0/8', SLUICE_LOG_LEVEL: 'debug' })),
  });
  [here, there] = instances.all;
});
afterAll(async () => {
  await instances?.stop();
  await provider?.[Symbol.asyncDispose]();
});

/** The instance at a position. */
const at = (product: Product | undefined): Product => {
  if (product === undefined) throw new Error('It did not start.');
  return product;
};
const server = (fields: Record<string, unknown> = {}) => ({
  target: {
    server: {
      issuer: provider.issuer,
      client: { client_id: 'with-a-secret', redirect_uri: REDIRECT_URI, authentication: 'basic', secret: SECRET },
      other_client: { client_id: CLIENTS.main, redirect_uri: REDIRECT_URI },
      several_redirect_uris: false,
      scope: SCOPE,
      resource: { url: provider.resource, scope: 'read' },
      login: 'browser',
      ...fields,
    },
  },
});
const answer = (product: Product, id: string, url: string | null) =>
  product.admin('POST', `${PATH}/${id}/authorization-responses`, { url });
async function read(product: Product, id: string, format = 'json'): Promise<string> {
  const response = await product.admin('GET', `${PATH}/${id}?format=${format}`);
  expect(response.status).toBe(200);
  return response.text();
}
const report = async (product: Product, id: string) => JSON.parse(await read(product, id)) as AssessmentReport;

/** Every byte that the instances have stored or said. */
const stored = () =>
  readdirSync(at(here).directory).map((name) => ({
    name,
    bytes: readFileSync(join(at(here).directory, name)),
  }));

describe('an assessment of a server', () => {
  test('is answered by a browser at another instance, and keeps no secret', async () => {
    const browser = person(provider.issuer);
    const secrets = new Set([SECRET]);
    const streamed = await streamAssessment(at(here), server());
    let isOver = false;
    const ended = streamed.ended.then(() => {
      isOver = true;
    });
    let visits = 0;
    while (!isOver) {
      await until(() => streamed.of('authorization_needed').length > visits || isOver);
      const wanted = streamed.of('authorization_needed')[visits];
      if (wanted === undefined) break;
      visits += 1;
      const back = await browser.visit(wanted.url);
      if (back !== null) secrets.add(new URL(back).searchParams.get('code') ?? SECRET);
      for (const cookie of browser.cookies().split('; ')) secrets.add(cookie.split('=').slice(1).join('='));
      if (visits === 1 && back !== null) {
        const elsewhere = await answer(at(there), streamed.id, 'https://elsewhere.example/?code=x');
        expect([elsewhere.status, JSON.stringify(await elsewhere.json())]).toEqual([
          400,
          expect.stringContaining('It is not the redirect URI of the client'),
        ]);
        const another = new URL(back);
        another.searchParams.set('state', 'another-state');
        const forged = await answer(at(there), streamed.id, another.href);
        expect([forged.status, await forged.text()]).toEqual([
          400,
          expect.stringContaining('It answers another request'),
        ]);
      }
      const taken = await answer(at(visits % 2 === 0 ? here : there), streamed.id, back);
      expect([wanted.purpose, taken.status]).toEqual([wanted.purpose, 204]);
    }
    await ended;
    expect(streamed.lines.at(-1)?.type).toBe('finished');
    expect(visits).toBeGreaterThan(0);
    expect((await answer(at(there), streamed.id, null)).status).toBe(409);

    const { findings, summary } = await report(at(there), streamed.id);
    expect(findings.filter(({ verdict }) => verdict === 'passed').length).toBeGreaterThan(30);
    expect(summary).toEqual(streamed.of('finished')[0]?.summary);

    const formats = ['json', 'markdown', 'html', 'sarif', 'junit'];
    const exports = await Promise.all(formats.map((format) => read(at(there), streamed.id, format)));
    const audit = await (await at(here).admin('GET', '/v1/admin/audit?limit=500')).text();
    const said = [
      ...exports,
      audit,
      JSON.stringify(streamed.lines.filter(({ type }) => type !== 'authorization_needed')),
    ];
    const logs = instances.all.map((product) => product.output());
    expect(secrets.size).toBeGreaterThan(3);
    for (const secret of secrets) {
      if (secret.length < 8) continue;
      for (const text of [...said, ...logs]) expect(text.includes(secret)).toBe(false);
      for (const { name, bytes } of stored()) expect([name, bytes.includes(secret)]).toEqual([name, false]);
    }
    // What looks like a signed token has no signature that could be used.
    for (const text of said) expect(text).not.toMatch(/eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{20,}/);
  });

  test('says at once when nobody comes back', async () => {
    const streamed = await streamAssessment(at(here), server());
    await streamed.next('authorization_needed');
    expect((await answer(at(there), streamed.id, null)).status).toBe(204);
    await until(() => streamed.of('preflight').length > 0);
    const session = streamed.of('preflight')[0]?.checks.find(({ what }) => what === 'session');
    expect(session?.ok).toBe(false);
    streamed.disconnect();
    await until(async () => (await report(at(there), streamed.id)).state === 'stopped');
  });

  test('has stopped when its process was killed, and what it had found is kept', async () => {
    const third = await instances.join({ SLUICE_ASSESS_ALLOW: '127.0.0.0/8' });
    const streamed = await streamAssessment(third, server({ login: 'none', requests_per_second: 4 }));
    await until(async () => (await report(at(here), streamed.id)).findings.length > 0);
    expect((await report(at(here), streamed.id)).state).toBe('running');
    await third.kill();
    // The lease of the process runs out.
    const database = new Libsql(join(at(here).directory, 'sluice.db'));
    database.prepare('update assessments set alive_at = alive_at - 20001 where id = ?').run(streamed.id);
    database.close();
    expect((await report(at(here), streamed.id)).state).toBe('stopped');
    const [listed] = (await (await at(here).admin('GET', `${PATH}?limit=1`)).json()) as StoredAssessment[];
    expect(listed).toMatchObject({ id: streamed.id, state: 'stopped', summary: { grade: null } });
    expect((await answer(at(here), streamed.id, null)).status).toBe(409);
  });

  test('goes to private addresses only where that is allowed', async () => {
    const closed = await instances.join();
    const streamed = await streamAssessment(
      closed,
      server({ login: 'none', client: undefined, other_client: undefined }),
    );
    await streamed.ended;
    expect(streamed.of('preflight')[0]?.checks.find(({ what }) => what === 'metadata')?.ok).toBe(false);
    expect(streamed.of('finished')[0]?.summary).toMatchObject({ passed: 0, failed: 0, grade: null });
  });
});
