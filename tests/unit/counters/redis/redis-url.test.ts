import { describe, expect, it } from 'vitest';
import { parseClusterNodes, parseRedisUrl, RedisUrlError } from '@/lib/counters/redis/redis-url';
import { table } from '../../../fixtures/table';

describe('an address of Redis', () => {
  table('%s', parseRedisUrl, [
    ['redis://cache', { host: 'cache', port: 6379, db: 0 }],
    ['redis://cache:7000/3', { host: 'cache', port: 7000, db: 3 }],
    ['redis://cache?db=2', { host: 'cache', port: 6379, db: 2 }],
    ['redis://:p%40ss@cache', { host: 'cache', port: 6379, db: 0, password: 'p@ss' }],
    [
      'rediss://app:secret@cache:6380',
      { host: 'cache', port: 6380, db: 0, username: 'app', password: 'secret', tls: {} },
    ],
    ['redis://[::1]:6379', { host: '::1', port: 6379, db: 0 }],
    ['/run/redis/redis.sock', { path: '/run/redis/redis.sock' }],
    ['unix:///run/redis/redis.sock?db=4', { path: '/run/redis/redis.sock', db: 4 }],
    ['unix:///r', { path: '/r', db: 0 }],
    [
      'rediss+cluster://app:s%3Aecret@n1:7000,[::1]:7001,n3/',
      { host: 'n1', port: 7000, db: 0, username: 'app', password: 's:ecret', tls: {} },
    ],
    ['redis+cluster://n1', { host: 'n1', port: 6379, db: 0 }],
    [
      'redis+sentinel://:secret@s1/main?sentinel_username=watcher&sentinel_password=other',
      {
        sentinels: [{ host: 's1', port: 26_379 }],
        name: 'main',
        db: 0,
        password: 'secret',
        sentinelUsername: 'watcher',
        sentinelPassword: 'other',
      },
    ],
    [
      'redis+sentinel://a:secret@s1/main',
      { sentinels: [{ host: 's1', port: 26_379 }], name: 'main', db: 0, username: 'a', password: 'secret' },
    ],
    ['redis+sentinel://s1/mymaster', { sentinels: [{ host: 's1', port: 26_379 }], name: 'mymaster', db: 0 }],
    [
      'redis+sentinel://app:secret@s1:1,s2:2,[::1]:3/main/5?sentinel_password=other',
      {
        sentinels: [
          { host: 's1', port: 1 },
          { host: 's2', port: 2 },
          { host: '::1', port: 3 },
        ],
        name: 'main',
        db: 5,
        username: 'app',
        password: 'secret',
        sentinelPassword: 'other',
      },
    ],
    [
      'rediss+sentinel://secret@s1/main',
      {
        sentinels: [{ host: 's1', port: 26_379 }],
        name: 'main',
        db: 0,
        password: 'secret',
        tls: {},
        enableTLSForSentinelMode: true,
        sentinelTLS: {},
      },
    ],
  ]);

  it.each([
    ['cache', 'is not a URL'],
    ['cache:6379', 'must be redis://'],
    ['http://cache', 'must be redis://'],
    ['xredis+sentinel://s1/main', 'must be redis://'],
    ['redis://', 'names no host'],
    ['unix:', 'names no socket'],
    ['redis://cache/one', 'is not a number'],
    ['redis://cache/1x', 'is not a number'],
    ['redis://cache/x1', 'is not a number'],
    ['redis+sentinel://s1', 'must name the sentinels and the master'],
    ['redis+sentinel://s1/main/0/more', 'must name the sentinels and the master'],
    ['redis+sentinel://s1:x/main', 'not host:port'],
    ['redis+cluster://', 'must name nodes'],
    ['redis+cluster://n1/1', 'must name nodes'],
    ['redis+cluster://n1,n2:x', 'a node that is not host:port'],
    ['redis://:%zz@cache', 'percent sign'],
  ])('%s is refused', (address, reason) => {
    expect(() => parseRedisUrl(address)).toThrow(RedisUrlError);
    expect(() => parseRedisUrl(address)).toThrow(reason);
  });

  it('names the nodes of a cluster', () => {
    expect(parseClusterNodes('redis+cluster://:p@n1:7000,[::1]:7001,n3')).toEqual([
      { host: 'n1', port: 7000 },
      { host: '::1', port: 7001 },
      { host: 'n3', port: 6379 },
    ]);
    expect(parseClusterNodes('redis://n1:7000')).toBeNull();
  });

  it('is never repeated in an error', () => {
    expect(() => parseRedisUrl('redis+sentinel://:hunter2@s1')).toThrow(
      expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
    );
  });
});
