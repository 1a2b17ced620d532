import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Transport } from '@/lib/oauth/assessment/target';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { smallServer } from '@/tests/fixtures/small-server';

// OpenID providers that refuse offline_access without prompt=consent (OpenID Connect Core section 11), or always.

const isOffline = (parameters: URLSearchParams) => parameters.get('scope')?.includes('offline_access') ?? false;

async function judge(isRefused: (parameters: URLSearchParams) => boolean) {
  const target = { ...smallServer(), scope: 'read offline_access' };
  const asked: URLSearchParams[] = [];
  const transport: Transport = async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== '/authorize') return target.transport(request);
    if (isRefused(searchParams)) return Response.json({ error: 'invalid_request' }, { status: 400 });
    asked.push(searchParams);
    return target.transport(request);
  };
  const [finding] = await assessAll(
    { ...target, transport },
    {
      clock: () => performance.now(),
      sleep: async () => undefined,
      random: (length: number) => randomBytes(length),
      controls: CATALOGUE.filter(({ id }) => id === 'code-single-use'),
    },
  );
  return { kind: finding?.verdict.kind, last: asked.at(-1) };
}

test('consent is asked for with it', async () => {
  const { kind, last } = await judge((sent) => isOffline(sent) && sent.get('prompt') !== 'consent');
  expect(kind).toBe('passed');
  expect(last?.get('prompt')).toBe('consent');
});

test('it is left out where it is refused all the same', async () => {
  const { kind, last } = await judge(isOffline);
  expect(kind).toBe('passed');
  expect(last?.get('scope')).toBe('read');
});

test('nothing changes where it is granted', async () => {
  const { kind, last } = await judge(() => false);
  expect(kind).toBe('passed');
  expect([last?.get('scope'), last?.get('prompt')]).toEqual(['read offline_access', null]);
});

test('consent is asked for refresh tokens where it is ignored without', async () => {
  const target = { ...smallServer({ rotates: true }), scope: 'read offline_access' };
  const consented = new Set<string | null>();
  const transport: Transport = async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const code = pathname === '/token' ? new URLSearchParams(await request.clone().text()).get('code') : null;
    const answer = await target.transport(request);
    if (searchParams.get('prompt') === 'consent')
      consented.add(new URL(answer.headers.get('location') ?? '').searchParams.get('code'));
    if (code === null || consented.has(code) || answer.status !== 200) return answer;
    const { refresh_token: _, ...tokens } = await answer.json();
    return Response.json(tokens);
  };
  const findings = await assessAll(
    { ...target, transport },
    {
      clock: () => performance.now(),
      sleep: async () => undefined,
      random: (length: number) => randomBytes(length),
      controls: CATALOGUE.filter(({ id }) => /^refresh-(rotation|client-binding|invented|scope)$/.test(id)),
    },
  );
  expect(findings.map(({ control, verdict }) => [control, verdict.kind])).toEqual([
    ['refresh-scope', 'passed'],
    ['refresh-rotation', 'passed'],
    ['refresh-client-binding', 'passed'],
    ['refresh-invented', 'passed'],
  ]);
});
