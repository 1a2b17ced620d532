import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig } from '@/lib/config/config';
import { ONLY_PUBLIC, whyClosed } from '@/lib/http/allowed-targets';
import { assessmentNetwork, ForbiddenAddress } from '@/lib/oauth/assessment/guarded-fetch';

const allowed = (text: string) => parseConfig({ SLUICE_ASSESS_ALLOW: text }).SLUICE_ASSESS_ALLOW;

describe('SLUICE_ASSESS_ALLOW', () => {
  test('opens nothing by default', () => {
    expect(allowed('')).toEqual(ONLY_PUBLIC);
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', '169.254.169.254'])
      expect(whyClosed(address, address, ONLY_PUBLIC), address).not.toBeNull();
    expect(whyClosed('93.184.216.34', 'example.com', ONLY_PUBLIC)).toBeNull();
  });

  test.each([
    ['10.20.0.0/16', '10.20.3.4', '10.20.3.4', true],
    ['10.20.0.0/16', '10.21.3.4', '10.21.3.4', false],
    ['10.20.0.0/16', '10.20.3.4', 'any.name.example', true],
    ['10.20.0.0/16', '::ffff:10.20.3.4', 'any.name.example', true],
    ['127.0.0.1', '127.0.0.2', '127.0.0.2', false],
    ['[::1]', '::1', '::1', true],
    ['fd12::/16', 'fd12::9', 'keycloak.internal', true],
    ['login.internal', '10.0.0.5', 'login.internal', true],
    ['LOGIN.internal.', '10.0.0.5', 'login.INTERNAL.', true],
    ['login.internal', '10.0.0.5', 'other.internal', false],
    ['login.internal', '10.0.0.5', '10.0.0.5', false],
    ['*.staging.internal', '10.0.0.5', 'a.b.staging.internal', true],
    ['*.staging.internal', '10.0.0.5', 'staging.internal', false],
    ['*.staging.internal', '10.0.0.5', 'evilstaging.internal', false],
    // A name opens ordinary networks, a range everything in it but the metadata services of clouds.
    ['login.internal', '169.254.169.254', 'login.internal', false],
    ['0.0.0.0/0', '169.254.169.254', '169.254.169.254', false],
    ['0.0.0.0/0', '192.168.1.1', '192.168.1.1', true],
    ['169.254.0.0/16', '169.254.169.254', '169.254.169.254', true],
    ['::/0', 'fd00:ec2::254', 'fd00:ec2::254', false],
  ])('%s: %s as %s', (entries, address, host, isOpen) => {
    expect(whyClosed(address, host, allowed(entries)) === null).toBe(isOpen);
  });

  test.each([
    'http://localhost',
    'localhost:8080',
    '10.0.0.0/33',
    '10.0.0',
    'a b',
    '*',
    '*.',
    'login.internal/path',
    '1.2.3.4.5',
  ])('says which entry is wrong: %s', (entry) => {
    expect(() => allowed(`localhost, ${entry}`)).toThrow(/SLUICE_ASSESS_ALLOW.*entry 2 is neither/s);
  });
});

describe('a name that changes its mind (DNS rebinding)', () => {
  let connections = 0;
  const server = createServer((_, response) => void response.end('inside'));
  let port = 0;
  beforeAll(async () => {
    server.on('connection', () => {
      connections += 1;
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());

  /** Public when it is asked first, private ever after. */
  const rebinding = () => {
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return [{ address: asked === 1 ? '192.0.2.77' : '127.0.0.1', family: 4 }];
    };
    return { resolve, asked: () => asked };
  };

  test('does not lead inside: each connection goes to the address that was checked for it', async () => {
    const { resolve, asked } = rebinding();
    // The address of documentation stands for one on the internet.
    const network = assessmentNetwork({ allowed: allowed('192.0.2.0/24'), resolve, timeoutMs: 300 });
    const url = `http://rebinding.example:${port}/`;
    await expect(network.transport(new Request(url))).rejects.not.toThrow(ForbiddenAddress);
    expect(asked()).toBe(1);
    await expect(network.transport(new Request(url))).rejects.toThrow(ForbiddenAddress);
    await expect(network.handshake(`https://rebinding.example:${port}/`, {})).rejects.toThrow(ForbiddenAddress);
    expect(connections).toBe(0);
  });

  test('not in a TLS handshake either', async () => {
    const { resolve, asked } = rebinding();
    const network = assessmentNetwork({ allowed: allowed('192.0.2.0/24'), resolve });
    const first = network.handshake(`https://rebinding.example:${port}/`, {}).catch(() => undefined);
    expect(asked()).toBe(1);
    await expect(network.handshake(`https://rebinding.example:${port}/`, {})).rejects.toThrow(
      'rebinding.example resolves to a loopback address; SLUICE_ASSESS_ALLOW does not name it.',
    );
    expect(connections).toBe(0);
    await first;
  });

  test('an address that is allowed is reached under its name', async () => {
    const network = assessmentNetwork({
      allowed: allowed('app.internal'),
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    });
    const answer = await network.transport(new Request(`http://app.internal:${port}/`));
    expect(await answer.text()).toBe('inside');
    await expect(network.transport(new Request(`http://127.0.0.1:${port}/`))).rejects.toThrow(
      '127.0.0.1 is a loopback',
    );
  });
});
