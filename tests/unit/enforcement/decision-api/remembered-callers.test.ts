import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { inspectCounters } from '@/lib/admin/limits/inspect-counters';
import { createToken } from '@/lib/admin/tokens/create';
import { revokeToken } from '@/lib/admin/tokens/revoke';
import { StoreUnavailable } from '@/lib/counters/store';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { createSystemContext } from '@/lib/operation/context';
import type { Services } from '@/lib/operation/services';
import { type TestServices, testServices } from '@/tests/fixtures/services';

const ORIGIN = 'http://localhost:3000';

let opened: TestServices;
let services: Services;
beforeAll(async () => {
  opened = await testServices();
  services = opened.services;
});
afterAll(() => opened[Symbol.dispose]());

const contextOf = (of: Services) => createSystemContext(of);

async function token(role: 'gateway' | 'viewer', lasts?: number) {
  const expires_at = lasts === undefined ? null : opened.clock.now + lasts;
  const body = { name: `${role} ${crypto.randomUUID()}`, role, expires_at };
  const made = await createToken.run(contextOf(services), { params: {}, query: {}, body });
  return made as { id: string; token: string };
}

async function ask(path: string, secret: string, body: unknown, by = services) {
  const request = new Request(ORIGIN + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-admin-token': secret, 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.1' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await answerDecisionCall(by, buildDecisionCall(request))).status;
}

/** What an address has used of the class `read`. */
async function usedBy(ip: string): Promise<{ used: number }> {
  const body = { type: 'ip', identifier: ip } as const;
  const inspected = await inspectCounters.run(contextOf(services), { params: {}, query: body, body: undefined });
  const { counters } = inspected as { counters: readonly { class: string; used: number }[] };
  return { used: counters.find(({ class: name }) => name === 'read')?.used ?? 0 };
}

const CHECK = { class: 'read', ip: '192.0.2.1' };
const CALLS = [
  ['/v1/check', CHECK],
  ['/v1/check/batch', [CHECK, CHECK]],
  ['/v1/forward-auth', undefined],
] as const;

describe('the token of a caller', () => {
  it.each(CALLS)('is looked up once for %s, while nothing is changed', async (path, body) => {
    const { token: secret } = await token('gateway');
    expect(await ask(path, secret, body)).toBe(200);
    expect(await ask(path, secret, body)).toBe(200);
    const find = vi.spyOn(services.auth.tokens, 'find');
    for (let i = 0; i < 3; i += 1) expect(await ask(path, secret, body)).toBe(200);
    expect(find).not.toHaveBeenCalled();
    find.mockRestore();
  });

  it.each(CALLS)('is refused by %s at once when another process has revoked it', async (path, body) => {
    const { id, token: secret } = await token('gateway');
    for (let i = 0; i < 2; i += 1) expect(await ask(path, secret, body)).toBe(200);
    const other = await opened.another();
    await revokeToken.run(contextOf(other), { params: { id }, query: {}, body: undefined });
    const { used } = await usedBy(CHECK.ip);
    expect(await ask(path, secret, body)).toBe(401);
    expect(await ask(path, secret, body)).toBe(401);
    expect(await usedBy(CHECK.ip)).toEqual({ used });
  });

  it.each(CALLS)('that is refused by %s consumes nothing, however many calls are under way', async (path, body) => {
    const { id, token: secret } = await token('gateway');
    for (let i = 0; i < 2; i += 1) expect(await ask(path, secret, body)).toBe(200);
    const other = await opened.another();
    const { used } = await usedBy(CHECK.ip);
    const perCall = path.endsWith('batch') ? 2 : 1;
    const before = Array.from({ length: 3 }, () => ask(path, secret, body));
    const revoked = revokeToken.run(contextOf(other), { params: { id }, query: {}, body: undefined });
    const during = Array.from({ length: 5 }, () => ask(path, secret, body));
    await revoked;
    const after = Array.from({ length: 5 }, () => ask(path, secret, body));
    const statuses = await Promise.all([...before, ...during, ...after]);
    expect(statuses.slice(-5)).toEqual([401, 401, 401, 401, 401]);
    const served = statuses.filter((status) => status === 200).length;
    expect(await usedBy(CHECK.ip)).toEqual({ used: used + served * perCall });
  });

  it.each(CALLS)(
    'is looked up for %s while the counters are down, because nobody says what has changed',
    async (path, body) => {
      const { id, token: secret } = await token('gateway');
      for (let i = 0; i < 2; i += 1) expect(await ask(path, secret, body)).toBe(200);
      const other = await opened.another();
      const down = vi.spyOn(services.breaker, 'run').mockImplementation(() => {
        throw new StoreUnavailable('down');
      });
      expect(await ask(path, secret, body)).toBe(200);
      await revokeToken.run(contextOf(other), { params: { id }, query: {}, body: undefined });
      expect(await ask(path, secret, body)).toBe(401);
      down.mockRestore();
    },
  );

  it('is refused when it has expired, and when its role may not decide', async () => {
    const { token: brief } = await token('gateway', 5_000);
    const { token: viewer } = await token('viewer');
    for (let i = 0; i < 3; i += 1) {
      expect(await ask('/v1/check', brief, CHECK)).toBe(200);
      expect(await ask('/v1/check', viewer, CHECK)).toBe(403);
    }
    opened.clock.advance(5_000);
    expect(await ask('/v1/check', brief, CHECK)).toBe(401);
  });
});
