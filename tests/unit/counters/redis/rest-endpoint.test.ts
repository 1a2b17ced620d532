import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatRedisName } from '@/lib/counters/redis/redis-name';
import { RedisUrlError } from '@/lib/counters/redis/redis-url';
import { formatRestAddress, parseRestEndpoint } from '@/lib/counters/redis/rest-endpoint';

describe('an address of Redis over HTTP', () => {
  it.each([
    ['https://:secret@eu1-cat.upstash.io', 'https://eu1-cat.upstash.io', 'secret'],
    ['https://default:secret@eu1-cat.upstash.io/', 'https://eu1-cat.upstash.io', 'secret'],
    ['http://:a%2Fb%3D@127.0.0.1:8079/redis/', 'http://127.0.0.1:8079/redis', 'a/b='],
    ['HTTPS://:secret@Host:443', 'https://host', 'secret'],
  ])('%s names the server and the token', (address, url, token) => {
    expect(parseRestEndpoint(address)).toEqual({ url, token });
    expect(formatRedisName(address)).toBe(url);
  });

  it.each(['redis://:secret@cache', 'rediss://cache', '/run/redis.sock', 'redis+cluster://n1', 'cache', 'https:', ''])(
    '%j is another kind of address',
    (address) => {
      expect(parseRestEndpoint(address)).toBeNull();
    },
  );

  it.each([
    ['https://cache', 'names no token'],
    ['https://secret@cache', 'names no token'],
    ['https://:secret@cache?db=1', 'has a query'],
    ['https://:secret@cache#x', 'has a query'],
    ['https://:%zz@cache', 'percent sign'],
  ])('%s is refused', (address, reason) => {
    expect(() => parseRestEndpoint(address)).toThrow(RedisUrlError);
    expect(() => parseRestEndpoint(address)).toThrow(reason);
  });

  it('keeps every token', () => {
    const tokens = fc.string({ minLength: 1, unit: 'grapheme-ascii' });
    fc.assert(
      fc.property(tokens, (token) => {
        const url = 'https://eu1-cat.upstash.io';
        expect(parseRestEndpoint(formatRestAddress({ url, token }))).toEqual({ url, token });
      }),
    );
  });
});
