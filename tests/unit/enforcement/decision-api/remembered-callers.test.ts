import { expect, it } from 'vitest';
import { createToken } from '@/lib/admin/tokens/create';
import { answerDecisionCall, buildDecisionCall } from '@/lib/enforcement/decision-api/answer-decision-call';
import { createSystemContext } from '@/lib/operation/context';
import { describeRevokedCallers } from '@/tests/fixtures/revoked-callers';
import { testServices } from '@/tests/fixtures/services';

describeRevokedCallers('the token of a caller', async () => {
  const opened = await testServices();
  return { one: opened.services, other: await opened.another(), stop: async () => opened[Symbol.dispose]() };
});

it('the token of a caller is refused when it has expired, and when its role may not decide', async () => {
  using opened = await testServices();
  const { services, clock } = opened;
  const create = async (role: 'gateway' | 'viewer', expires_at: number | null) => {
    const input = { params: {}, query: {}, body: { name: role, role, expires_at } };
    return ((await createToken.run(createSystemContext(services), input)) as { token: string }).token;
  };
  const ask = async (secret: string) => {
    const request = new Request('http://localhost:3000/v1/check', {
      method: 'POST',
      headers: { 'x-admin-token': secret, 'content-type': 'application/json' },
      body: JSON.stringify({ class: 'read', ip: '192.0.2.1' }),
    });
    return (await answerDecisionCall(services, buildDecisionCall(request))).status;
  };
  const brief = await create('gateway', clock.now + 5_000);
  const viewer = await create('viewer', null);
  for (let i = 0; i < 3; i += 1) {
    expect(await ask(brief)).toBe(200);
    expect(await ask(viewer)).toBe(403);
  }
  clock.advance(5_000);
  expect(await ask(brief)).toBe(401);
});
