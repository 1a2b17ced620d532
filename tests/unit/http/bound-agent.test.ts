import { Agent, request } from 'node:http';
import { expect, it } from 'vitest';
import { boundAgent } from '@/lib/http/bound-agent';
import { startBadReceiver } from '@/tests/fixtures/bad-receivers';
import { until } from '@/tests/fixtures/until';

it.each(['101 without an upgrade', '101 with an upgrade'])('no connection is kept after a %s', async (name) => {
  await using receiver = await startBadReceiver(name);
  const agent = boundAgent(new Agent({ keepAlive: true }), { peer: 'collector', time: 60_000 });
  await new Promise<void>((done) => {
    request(receiver.url, { agent, method: 'POST' })
      .on('response', (answer) => answer.resume().on('end', done))
      .on('error', () => done())
      .end('{}');
  });
  await until(() => receiver.countOpen() === 0, 10_000);
  expect(Object.values(agent.freeSockets).flat()).toEqual([]);
});
