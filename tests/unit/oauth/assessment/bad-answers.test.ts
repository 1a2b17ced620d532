import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { assessmentNetwork, guardedFetch } from '@/lib/oauth/assessment/guarded-fetch';

const ALLOWED = { ranges: [], hosts: ['127.0.0.1'] };

/** What a receiver does with a connection once a request came. */
const RECEIVERS: Record<string, (socket: Socket) => void> = {
  '101 with an upgrade': (s) =>
    s.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
  '101 without an upgrade': (s) => s.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
  'the end before headers': (s) => s.end(),
  'a reset before headers': (s) => s.resetAndDestroy(),
  'half a header': (s) => s.write('HTTP/1.1 200 OK\r\ncontent-'),
  'no answer': () => undefined,
  'half a body': (s) => s.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'),
  'a stalled body': (s) => s.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf'),
  'stalled trailers': (s) => s.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: '),
  'huge headers': (s) => s.write(`HTTP/1.1 200 OK\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`),
  'no HTTP': (s) => s.write('hello\r\n'),
  '100 and no more': (s) => s.write('HTTP/1.1 100 Continue\r\n\r\n'),
};

it.each(Object.keys(RECEIVERS))('settles when a receiver answers: %s', { timeout: 5_000 }, async (name) => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', () => RECEIVERS[name]?.(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  try {
    const transport = guardedFetch({ allowed: ALLOWED, timeoutMs: 300 });
    await expect(transport(new Request(`http://127.0.0.1:${port}/`))).rejects.toThrow(/./);
    await expect.poll(() => sockets.size).toBe(0);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

it('settles when a resolver never answers', { timeout: 5_000 }, async () => {
  const network = assessmentNetwork({ allowed: ALLOWED, timeoutMs: 50, resolve: () => new Promise(() => undefined) });
  await expect(network.handshake('https://sluice.test/', {})).rejects.toThrow('could not be looked up in time');
  await expect(network.transport(new Request('https://sluice.test/'))).rejects.toThrow();
});
