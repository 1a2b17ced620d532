import { describe, expect, it } from 'vitest';
import { checkServer, isClusterNode, RedisUnsupported } from '@/lib/counters/redis/faults';

const info = (version: string, more = '') => `# Server\r\nredis_version:${version}\r\n${more}tcp_port:6379\r\n`;

describe('a server for counters', () => {
  it.each(['6.2.0', '6.2.14', '6.10.1', '7.0.0', '7.4.2', '8.0.1', '10.1.0', '255.255.255'])(
    'may be Redis %s',
    (version) => {
      expect(() => checkServer(info(version, 'redis_mode:standalone\r\ncluster_enabled:0\r\n'))).not.toThrow();
    },
  );

  it.each([
    ['6.1.9', '6.1'],
    ['6.0.16', '6.0'],
    ['5.9.9', '5.9'],
    ['2.8.24', '2.8'],
  ])('must not be Redis %s', (version, named) => {
    expect(() => checkServer(info(version))).toThrow(
      new RedisUnsupported(`REDIS_URL leads to Redis ${named}; version 6.2 or later is needed.`),
    );
  });

  it('may keep its version to itself, as some services do', () => {
    expect(() => checkServer('')).not.toThrow();
    expect(() => checkServer('# Server\r\nvalkey_version:8.1.0\r\nnot_redis_version:1.0\r\n')).not.toThrow();
  });

  it.each(['cluster_enabled:1\r\n', 'redis_mode:cluster\r\n'])('is a node of a cluster: %j', (line) => {
    expect(isClusterNode(info('7.0.0', line))).toBe(true);
  });

  it.each(['xcluster_enabled:1\r\n', 'cluster_enabled:10\r\n', 'redis_mode:clusterless\r\n'])(
    'is none for %j',
    (line) => {
      expect(isClusterNode(info('7.0.0', line))).toBe(false);
    },
  );
});
