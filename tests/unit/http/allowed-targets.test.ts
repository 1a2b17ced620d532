import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseConfig } from '@/lib/config/config';
import { findClosedReason, isPublicAddress } from '@/lib/http/allowed-targets';
import { createAssessmentNetwork, ForbiddenAddress } from '@/lib/oauth/assessment/guarded-fetch';
import { ONLY_PUBLIC } from '@/tests/fixtures/only-public';

const allowed = (text: string) => parseConfig({ SLUICE_ASSESS_ALLOW: text }).SLUICE_ASSESS_ALLOW;

describe('SLUICE_ASSESS_ALLOW', () => {
  test('opens nothing by default', () => {
    expect(allowed('')).toEqual(ONLY_PUBLIC);
    for (const address of ['127.0.0.1', '::1', '10.0.0.1', '169.254.169.254'])
      expect(findClosedReason(address, address, ONLY_PUBLIC), address).not.toBeNull();
    expect(findClosedReason('93.184.216.34', 'example.com', ONLY_PUBLIC)).toBeNull();
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
    expect(findClosedReason(address, host, allowed(entries)) === null).toBe(isOpen);
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

/** `10.20.3.4` as `0a14:0304`. */
const toGroups = (ipv4: string): [string, string] => {
  const hex = ipv4.split('.').map((part) => Number(part).toString(16).padStart(2, '0'));
  return [hex.slice(0, 2).join(''), hex.slice(2).join('')];
};
const invert = (group: string) => (Number.parseInt(group, 16) ^ 0xffff).toString(16);
/** Each way in which an IPv6 address leads to an IPv4 address. */
const EMBEDDINGS: Record<string, (high: string, low: string) => string> = {
  'IPv4-mapped': (high, low) => `::ffff:${high}:${low}`,
  'IPv4-translated': (high, low) => `::ffff:0:${high}:${low}`,
  'IPv4-compatible': (high, low) => `::${high}:${low}`,
  NAT64: (high, low) => `64:ff9b::${high}:${low}`,
  'local NAT64, /48': (high, low) => `64:ff9b:1:${high}:${low.slice(0, 2)}:${low.slice(2)}00::`,
  'local NAT64, /56': (high, low) => `64:ff9b:1:ab${high.slice(0, 2)}:${high.slice(2)}:${low}::`,
  'local NAT64, /64': (high, low) =>
    `64:ff9b:1:abcd:${high.slice(0, 2)}:${high.slice(2)}${low.slice(0, 2)}:${low.slice(2)}00:0`,
  'local NAT64, /96': (high, low) => `64:ff9b:1::${high}:${low}`,
  '6to4': (high, low) => `2002:${high}:${low}::1`,
  'Teredo client': (high, low) => `2001:0:808:808:8000:63bf:${invert(high)}:${invert(low)}`,
  'Teredo server': (high, low) => `2001:0:${high}:${low}:8000:63bf:f7f7:f7f7`,
  ISATAP: (high, low) => `2606:4700::5efe:${high}:${low}`,
  'ISATAP of a unique address': (high, low) => `2606:4700::200:5efe:${high}:${low}`,
  'ISATAP of a group': (high, low) => `2606:4700:1:2:300:5efe:${high}:${low}`,
};
const PRIVATE = ['10.20.3.4', '127.0.0.1', '172.16.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254'];
const CASES = Object.keys(EMBEDDINGS).flatMap((kind) => PRIVATE.map((ipv4): [string, string] => [kind, ipv4]));

describe('an IPv6 address that embeds an IPv4 address', () => {
  test.each(CASES)('is as private as that: %s of %s', (kind, ipv4) => {
    const address = EMBEDDINGS[kind]!(...toGroups(ipv4));
    for (const spelled of [address, `[${address.toUpperCase()}]`, `${address}%eth0`]) {
      expect(isPublicAddress(spelled), spelled).toBe(false);
      expect(findClosedReason(spelled, spelled, ONLY_PUBLIC), spelled).not.toBeNull();
      // A range of ordinary IPv6 addresses opens it no more.
      expect(findClosedReason(spelled, spelled, allowed('2000::/3, ::/0')), spelled).not.toBeNull();
    }
  });

  test.each(['2606:4700::5efe:808:808', '2606:4700::200:5efe:808:808', '2606:4700:1:2:3:4:a00:1'])(
    'is public where that is, or where it embeds none: %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true);
      expect(findClosedReason(address, address, ONLY_PUBLIC)).toBeNull();
    },
  );

  test('is opened by a range that names the IPv4 address', () => {
    const isatap = '2606:4700::5efe:10.20.3.4';
    expect(findClosedReason(isatap, isatap, allowed('10.20.0.0/16'))).toBeNull();
    expect(findClosedReason(isatap, isatap, allowed('10.21.0.0/16'))).toBe('a private address');
    const metadata = 'fd12::5efe:169.254.169.254';
    expect(findClosedReason(metadata, metadata, allowed('fd12::/64'))).toBe('an address of a metadata service');
    expect(findClosedReason('::1', '::1', allowed('::1'))).toBeNull();
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
    const network = createAssessmentNetwork({ allowed: allowed('192.0.2.0/24'), resolve, timeoutMs: 300 });
    const url = `http://rebinding.example:${port}/`;
    await expect(network.transport(new Request(url))).rejects.not.toThrow(ForbiddenAddress);
    expect(asked()).toBe(1);
    await expect(network.transport(new Request(url))).rejects.toThrow(ForbiddenAddress);
    await expect(network.handshake(`https://rebinding.example:${port}/`, {})).rejects.toThrow(ForbiddenAddress);
    expect(connections).toBe(0);
  });

  test('not in a TLS handshake either', async () => {
    const { resolve, asked } = rebinding();
    const network = createAssessmentNetwork({ allowed: allowed('192.0.2.0/24'), resolve });
    const first = network.handshake(`https://rebinding.example:${port}/`, {}).catch(() => undefined);
    expect(asked()).toBe(1);
    await expect(network.handshake(`https://rebinding.example:${port}/`, {})).rejects.toThrow(
      'rebinding.example resolves to a loopback address; SLUICE_ASSESS_ALLOW does not name it.',
    );
    expect(connections).toBe(0);
    await first;
  });

  test('an address that is allowed is reached under its name', async () => {
    const network = createAssessmentNetwork({
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
