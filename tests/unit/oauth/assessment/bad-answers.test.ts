import { describe, expect, it } from 'vitest';
import { createAssessmentNetwork, createGuardedFetch } from '@/lib/oauth/assessment/guarded-fetch';
import { BAD_RECEIVER_NAMES, startBadReceiver } from '@/tests/fixtures/bad-receivers';

const ALLOWED = { ranges: [], hosts: ['127.0.0.1'] };
const LIMIT = 100_000;
/** A sentence about the server, without the words of Node and OpenSSL. */
const CLEAR = /^(?!.*(?:aborted|hang up|EPROTO|init\[))[^\n]+$/;

describe.each(BAD_RECEIVER_NAMES)('a receiver with %s', (name) => {
  it('gets no more than its time, memory and connection', async () => {
    await using receiver = await startBadReceiver(name);
    const transport = createGuardedFetch({
      allowed: ALLOWED,
      timeoutMs: receiver.isAnswer ? 60_000 : 300,
      bodyLimit: LIMIT,
    });
    const body = 'x'.repeat(name === 'a request that is not read' ? 20_000_000 : 100);
    const outcome = await transport(new Request(receiver.url, { method: 'POST', body })).then(
      async (response) => (await response.text()).length,
      (error: Error) => error,
    );
    if (receiver.isAnswer) expect(outcome).toBeLessThanOrEqual(LIMIT);
    else expect(outcome).toMatchObject({ message: expect.stringMatching(CLEAR) });
    await expect.poll(() => receiver.countOpen()).toBe(0);
    expect(receiver.sent).toBeLessThan(20_000_000);
    expect(receiver.lured).toBe(0);
  });
});

it('settles when a resolver never answers', async () => {
  const network = createAssessmentNetwork({
    allowed: ALLOWED,
    timeoutMs: 50,
    resolve: () => new Promise(() => undefined),
  });
  await expect(network.handshake('https://sluice.test/', {})).rejects.toThrow('could not be looked up in time');
  await expect(network.transport(new Request('https://sluice.test/'))).rejects.toThrow();
});
