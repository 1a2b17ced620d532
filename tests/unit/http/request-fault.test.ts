import { describe, expect, it } from 'vitest';
import { findFault, type ReceivedRequest } from '@/lib/http/request-fault';

/** A request with these headers, as a parser could pass it on. */
const receive = (...rawHeaders: string[]): ReceivedRequest =>
  ({ method: 'GET', url: '/', httpVersion: '1.1', headers: { host: 'example.com' }, rawHeaders }) as ReceivedRequest;

describe('findFault', () => {
  it.each(['Accept', 'x_y', "!#$%&'*+-.^_`|~9z"])('accepts the name %j', (name) => {
    expect(findFault(receive('Host', 'example.com', name, 'z'), true)).toBeNull();
  });

  // Node 20.12.0 passes on such names.
  it.each(['', 'x y', ' x', 'content-length ', 'x\ty', 'é', 'x:', '(x)', 'x\0'])('refuses the name %j', (name) => {
    expect(findFault(receive('Host', 'example.com', name, 'z'), true)).toMatchObject({
      ...{ status: 400, code: 'bad_request' },
    });
  });

  it('refuses two hosts, but no value that reads like a name', () => {
    expect(findFault(receive('Host', 'example.com', 'HOST', 'example.com'), false)).toMatchObject({ status: 400 });
    expect(findFault(receive('Host', 'example.com', 'X-Name', 'host'), false)).toBeNull();
  });
});
