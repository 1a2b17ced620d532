import { expect, it } from 'vitest';
import { limitRequests } from '@/lib/db/limit-requests';

const request = () => new Request('http://localhost/');

/** A server that answers no request before `answerAll`. */
function hangingServer() {
  const waiting: (() => void)[] = [];
  let begun = 0;
  const send = () => {
    begun += 1;
    return new Promise<Response>((resolve) => waiting.push(() => resolve(new Response('{}'))));
  };
  return { send, begun: () => begun, answerAll: () => waiting.splice(0).map((answer) => answer()) };
}

it('at most 20 requests run at a time, and the others follow', async () => {
  const server = hangingServer();
  const send = limitRequests(server.send, 600_000);
  const answers = Array.from({ length: 50 }, () => send(request()));
  for (const most of [20, 40, 50]) {
    await expect.poll(server.begun).toBe(most);
    server.answerAll();
  }
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(50).fill(200));
});

it('requests that hang give their places away, and get their answers all the same', async () => {
  const server = hangingServer();
  const send = limitRequests(server.send, 1);
  const answers = Array.from({ length: 60 }, () => send(request()));
  await expect.poll(server.begun).toBe(60);
  server.answerAll();
  expect(await Promise.all(answers)).toHaveLength(60);
});

it('a queue of more than 1,000 requests refuses the next, as a fault of the connection', async () => {
  const server = hangingServer();
  const send = limitRequests(server.send, 600_000);
  const answers = Array.from({ length: 1_020 }, () => send(request()));
  await expect(send(request())).rejects.toMatchObject({ code: 'ECONNABORTED', cause: { code: 'ECONNREFUSED' } });
  while (server.begun() < 1_020) {
    server.answerAll();
    await Promise.resolve();
  }
  server.answerAll();
  expect(await Promise.all(answers)).toHaveLength(1_020);
});
