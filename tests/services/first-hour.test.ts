import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { readFirstSteps } from '@/lib/admin/first-hour/read-first-steps';
import { readGatewayRecipe } from '@/lib/admin/first-hour/read-gateway-recipe';
import { createApiKey } from '@/lib/admin/keys/create';
import { patchPolicies } from '@/lib/admin/policies/patch';
import { GATEWAYS, TOKEN_PLACEHOLDER } from '@/lib/contract/first-hour';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { call, expectInvalid } from '@/tests/fixtures/call';
import { TEST_ADMIN_TOKEN } from '@/tests/fixtures/services';
import { here, servicesSuite } from '@/tests/fixtures/services-suite';

servicesSuite();

const steps = async () => {
  await here.services.statistics.flush();
  const { connect, request, key, limit, invite } = (await call(here.services, readFirstSteps)).json;
  return { connect, request, key, limit, invite };
};
const decide = (path: string) =>
  here.services.engine.decide({ method: 'GET', path, address: undefined, apiKey: 'unknown', requestId: null });

describe('the first steps', () => {
  test('are all to do in an empty installation', async () => {
    expect(await steps()).toEqual({
      connect: { done: false, upstream: null, gateway_tokens: 0 },
      request: { done: false, decisions: 0 },
      key: { done: false },
      limit: { done: false },
      invite: { done: false },
    });
  });

  test('are done by what happened: a request, a key, a limit', async () => {
    await decide('/api/orders');
    await call(here.services, createApiKey, { body: { name: 'billing', tier: 'free' } });
    await call(here.services, patchPolicies, { body: { classes: { read: { ip: { limit: 7 } } } } });
    expect(await steps()).toMatchObject({
      request: { done: true, decisions: 1 },
      key: { done: true },
      limit: { done: true },
      invite: { done: false },
    });
  });

  test('do not count what the console itself asked for', async () => {
    await decide('/api/auth/callback/credentials');
    await decide('/auth/token');
    expect((await steps()).request).toEqual({ done: false, decisions: 0 });
  });
});

describe('the first steps of who asks for decisions', () => {
  test('count decisions of every class: the console itself never asks for them', async () => {
    await decide('/auth/token');
    const request = new Request('http://sluice.test/v1/check', {
      method: 'POST',
      headers: { Authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ class: 'auth', ip: '203.0.113.7' }),
    });
    expect((await answerDecisionCall(here.services, buildDecisionCall(request))).status).toBe(200);
    expect((await steps()).request).toEqual({ done: true, decisions: 2 });
  });
});

describe('the configuration of a gateway', () => {
  test.each(GATEWAYS)('%s: is the one of the documentation, for this origin', async (gateway) => {
    const { json } = await call(here.services, readGatewayRecipe, { params: { gateway } });
    expect(json.address).toBe('sluice.test:80');
    for (const { name, text } of json.files) {
      const written = await readFile(`docs/gateways/${name}`, 'utf8');
      expect(text).not.toMatch(/127\.0\.0\.1:3000|port_value: 3000/);
      expect(text.includes(TOKEN_PLACEHOLDER)).toBe(json.token_in === 'text');
      const same = (lines: string) =>
        lines.split('\n').filter((line) => !/sluice\.test|127\.0\.0\.1|type: /.test(line));
      expect(same(text)).toEqual(same(written));
      if (name.endsWith('.lua')) continue;
      expect(text).toMatch(/sluice\.test(:80)?\b/);
    }
  });

  test('is there for those that are documented', async () => {
    expectInvalid(await call(here.services, readGatewayRecipe, { params: { gateway: 'varnish' } }));
  });
});
