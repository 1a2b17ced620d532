import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import { type AssessmentStep, assess } from '@/lib/oauth/assessment/run';
import type { AssessmentTarget, Transport } from '@/lib/oauth/assessment/target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { enableControlsExcept } from '@/lib/oauth/lab/controls';
import { assessAll } from '@/tests/fixtures/assess-all';
import { ORIGIN, START } from '../lab-fixture';

const clock = () => performance.now();
const random = (length: number) => randomBytes(length);
const METADATA = '/.well-known/oauth-authorization-server';

/** The lab behind something that answers differently. */
function labBehind(change: (path: string, answer: () => Promise<Response>, request: Request) => Promise<Response>) {
  const lab = createLabTarget({ origin: ORIGIN, controls: enableControlsExcept(), startAt: START, clock, random });
  const transport: Transport = (request) =>
    change(new URL(request.url).pathname, () => Promise.resolve(lab.transport(request)), request);
  return { ...lab, transport };
}

async function look(target: AssessmentTarget, control: string) {
  const steps: AssessmentStep[] = [];
  const controls = CATALOGUE.filter(({ id }) => id === control);
  for await (const step of assess(target, { clock, random, sleep, controls })) steps.push(step);
  const checks = steps.find((step) => step.type === 'preflight')?.checks ?? [];
  const finding = steps.find((step) => step.type === 'found')?.finding;
  return { verdict: finding?.verdict, ok: (what: string) => checks.find((check) => check.what === what)?.ok };
}

test('metadata that moved within its origin is read where it moved to', async () => {
  let metadata: Response | undefined;
  const target = labBehind(async (path, answer) => {
    if (!path.startsWith(METADATA)) return answer();
    if (path.endsWith('/')) return metadata ?? new Response(null, { status: 404 });
    metadata = await answer();
    return new Response(null, { status: 301, headers: { Location: `${path}/` } });
  });
  expect((await look(target, 'issuer-in-response')).ok('metadata')).toBe(true);
});

test('metadata is not looked for at another origin', async () => {
  const asked: string[] = [];
  const target = labBehind(async (path, answer, request) => {
    asked.push(new URL(request.url).host);
    return path.includes('/.well-known/')
      ? new Response(null, { status: 302, headers: { Location: `https://elsewhere.example${path}` } })
      : answer();
  });
  expect((await look(target, 'issuer-in-response')).ok('metadata')).toBe(false);
  expect(asked).not.toContain('elsewhere.example');
});

const bare403 = () => Promise.resolve(new Response('<h1>Forbidden</h1>', { status: 403 }));

test('a resource that refuses by a bare 403 is judged, since it opens for a valid token', async () => {
  const target = labBehind(async (path, answer) => {
    const given = await answer();
    return path === '/api/data' && given.status === 401 ? bare403() : given;
  });
  const { verdict, ok } = await look(target, 'www-authenticate');
  expect(ok('resource')).toBe(true);
  expect(verdict).toEqual({ kind: 'failed', reason: 'The status was 403, not 401.' });
});

test('a resource that answers 403 to everybody is not', async () => {
  const target = labBehind((path, answer) => (path === '/api/data' ? bare403() : answer()));
  const { verdict, ok } = await look(target, 'www-authenticate');
  expect(ok('resource')).toBe(false);
  expect(verdict?.kind).toBe('inconclusive');
});

test("a server that refuses every request in OAuth's own words proves nothing", async () => {
  const target = labBehind(async (path, answer, request) => {
    const error = 'invalid_request';
    if (path === '/api/data' || path === '/auth/userinfo') {
      return new Response(null, { status: 401, headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' } });
    }
    if (path === '/auth/authorize') {
      const text = request.method === 'POST' ? await request.text() : new URL(request.url).search;
      const { redirect_uri: redirectUri, state } = Object.fromEntries(new URLSearchParams(text));
      if (redirectUri === undefined || !URL.canParse(redirectUri)) return Response.json({ error }, { status: 400 });
      return Response.redirect(`${redirectUri}?error=${error}&state=${encodeURIComponent(state ?? '')}`, 303);
    }
    return request.method === 'POST' ? Response.json({ error }, { status: 400 }) : answer();
  });
  const { capabilities: _, ...remote } = target;
  const judged = (kind: string) =>
    findings.filter(({ verdict }) => verdict.kind === kind).map(({ control }) => control);
  const findings = await assessAll({ ...remote, capabilities: {} }, { clock, random, sleep });
  const needsSignIn = new Set(CATALOGUE.filter(({ needs }) => needs.includes('login')).map(({ id }) => id));
  // Its logout works, and a page that asks a browser without a session asks everybody.
  expect(judged('passed').filter((id) => needsSignIn.has(id))).toEqual(['logout-confirmation']);
  expect(judged('passed')).not.toContain('code-invented');
  // It redirects to any address.
  expect(judged('failed').filter((id) => id !== 'client-secret-strength')).toEqual(['no-open-redirect-on-error']);
});

/** Answers to requests for an authorization that name another redirect URI, or another client, are replaced. */
const refusingBy = (forbid: (parameters: URLSearchParams) => boolean) =>
  labBehind(async (path, answer, request) => {
    if (path !== '/auth/authorize') return answer();
    const asked = new URLSearchParams(
      request.method === 'POST' ? await request.clone().text() : new URL(request.url).search,
    );
    return forbid(asked) ? bare403() : answer();
  });

test('a bare 403 is a refusal where an invented client gets the same', async () => {
  const known = createLabTarget({
    origin: ORIGIN,
    controls: enableControlsExcept(),
    startAt: START,
    clock,
    random,
  }).client;
  const isWrong = (asked: URLSearchParams) =>
    asked.get('client_id') !== known?.id || asked.get('redirect_uri') !== known.redirectUri;
  expect((await look(refusingBy(isWrong), 'strict-redirect-uri')).verdict?.kind).toBe('passed');
  const firewall = (asked: URLSearchParams) => asked.get('redirect_uri') !== known?.redirectUri;
  expect((await look(refusingBy(firewall), 'strict-redirect-uri')).verdict?.kind).toBe('inconclusive');
});

test('without a resource, every control still says why it is not judged', async () => {
  const target = { ...labBehind((_path, answer) => answer()), resource: null };
  const controls = CATALOGUE.filter(({ id, needs }) => needs.includes('resource') || id.startsWith('dpop'));
  const findings = await assessAll(target, { clock, random, sleep, controls });
  const reasons = new Map(findings.map(({ control, verdict }) => [control, `${verdict.kind}: ${verdict.reason}`]));
  expect([...reasons.values()].filter((reason) => /probe failed/i.test(reason))).toEqual([]);
  expect(reasons.get('sender-constrained')).toBe('not_applicable: No protected resource is known.');
});
