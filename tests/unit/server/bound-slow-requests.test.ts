import { createServer } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { boundSlowRequests } from '@/lib/process/bound-slow-requests';
import { close, listen } from '../../fixtures/listen';

const server = createServer({ connectionsCheckingInterval: 20 }, (request, response) => {
  request.resume().once('end', () => response.end('whole'));
});
afterEach(() => close(server));

it('a request that does not arrive in time is 408 from the first one on, and others are answered', async () => {
  const port = await listen(server);
  boundSlowRequests({ headersTimeout: 100, requestTimeout: 100 });
  const send = (rest: string) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\n${rest}`);
    return text(socket);
  };
  expect(await send('he')).toMatch(/^HTTP\/1\.1 408 /);
  expect(await send('hello')).toMatch(/^HTTP\/1\.1 200 .*whole$/s);
  expect([server.headersTimeout, server.requestTimeout]).toEqual([100, 100]);
});
