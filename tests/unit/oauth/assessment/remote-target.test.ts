import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { isPublicAddress } from '@/lib/http/allowed-targets';
import { createGuardedFetch, ForbiddenAddress } from '@/lib/oauth/assessment/guarded-fetch';
import { createRemoteTarget } from '@/lib/oauth/assessment/remote-target';
import type { Finding } from '@/lib/oauth/assessment/run';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { type LabServer, labServer } from '@/tests/fixtures/lab-server';
import { LOOPBACK, loopbackNetwork } from '@/tests/fixtures/loopback';
import { ONLY_PUBLIC } from '@/tests/fixtures/only-public';

/** A foreign authorization server, as far as the assessment can tell. */
let lab: LabServer;
let origin: string;
beforeAll(async () => {
  lab = await labServer();
  origin = lab.origin;
});
afterAll(() => lab[Symbol.asyncDispose]());

const redirect = 'https://app.example.com/callback';
const describeTarget = () =>
  ServerTargetInput.parse({
    issuer: origin,
    client: { client_id: 'demo-client', redirect_uri: redirect },
    other_client: {
      client_id: 'demo-confidential',
      redirect_uri: redirect,
      authentication: 'post',
      secret: 'demo-secret',
    },
    native_client: { client_id: 'demo-native', redirect_uri: 'http://127.0.0.1/callback' },
    several_redirect_uris: true,
    scope: 'openid profile offline_access',
    resource: { url: `${origin}/api/data`, scope: 'profile' },
  });
const options = { clock: () => performance.now(), sleep, random: (length: number) => randomBytes(length) };
const run = (controls = CATALOGUE) =>
  assessAll(createRemoteTarget(describeTarget(), loopbackNetwork()), { ...options, controls });
const ofKind = (findings: readonly Finding[], kind: string) =>
  findings.filter((one) => one.verdict.kind === kind).map((one) => one.control);

/** `demo-secret` can be guessed. */
const KNOWN_SECRETS = ['client-secret-strength'];

describe('a server over HTTP', () => {
  test('that asks for consent is not failed and not passed for what could not be tried', async () => {
    lab.controls = null;
    const findings = await run();
    expect(ofKind(findings, 'failed')).toEqual(KNOWN_SECRETS);
    expect(ofKind(findings, 'inconclusive').length).toBeGreaterThan(20);
    expect(ofKind(findings, 'passed')).toContain('user-consent');
    expect(ofKind(findings, 'passed')).not.toContain('code-single-use');
  });

  test('that gives codes to a session is judged, except for what only its owner could try, without secrets in the evidence', async () => {
    lab.controls = 'user-consent=?0';
    const findings = await run();
    expect(ofKind(findings, 'failed')).toEqual(['user-consent', ...KNOWN_SECRETS]);
    expect(ofKind(findings, 'inconclusive')).toEqual(
      expect.arrayContaining(['issuer-validated', 'not-before', 'code-lifetime', 'token-expiry']),
    );
    // Nobody agrees on the verification page of a device without a session.
    const others = ofKind(findings, 'inconclusive').filter((id) => !id.startsWith('device-'));
    expect(others.length).toBeLessThan(12);
    expect(findings).toHaveLength(CATALOGUE.length);
    expect(JSON.stringify(findings)).not.toMatch(/demo-secret|ZGVtby1jb25maWRlbnRpYWw6ZGVtby1zZWNyZXQ/);
  });

  test('that is weak is failed', async () => {
    lab.controls = 'user-consent=?0, strict-redirect-uri=?0, signature-verified=?0, alg-none=?0, pkce-verified=?0';
    const weak = ['alg-none', 'pkce-verified', 'signature-verified', 'strict-redirect-uri', 'user-consent'];
    const findings = await run(CATALOGUE.filter(({ id }) => weak.includes(id)));
    expect(ofKind(findings, 'failed').sort()).toEqual(weak);
  });

  test('that is not there is inconclusive throughout', async () => {
    const nobody = ServerTargetInput.parse({
      issuer: 'http://127.0.0.1:9',
      client: { client_id: 'a', redirect_uri: redirect },
    });
    const findings = await assessAll(createRemoteTarget(nobody, loopbackNetwork()), options);
    expect(ofKind(findings, 'passed').concat(ofKind(findings, 'failed'))).toEqual([]);
  });
});

describe('the guard', () => {
  const guarded = createGuardedFetch({
    allowed: ONLY_PUBLIC,
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  });

  const hidden = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '0.0.0.0',
    '①②⑦.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '198.18.0.1',
    '192.0.2.1',
    '224.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[::127.0.0.1]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd12::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[fec0::1]',
    'localhost',
    'localtest.me',
    'rebinding.example',
    'internal',
    // The same addresses in other spellings.
    '127.0.1',
    '127.255.255.254',
    '0x7f000001',
    '0X7F.0x0.0x0.0x1',
    '017700000001',
    '0x7f.0.1',
    '0177.0x0.1',
    '00000177.0.0.1',
    '127.0.0.1.',
    '%31%32%37.0.0.1',
    '127。0。0。1',
    '127．0．0．1',
    '１２７.0.0.1',
    '⑯⑨。②⑤④。⑯⑨｡②⑤④',
    '2852039166',
    '0xa9fea9fe',
    '0xA9.0xFE.0xA9.0xFE',
    '0251.0376.0251.0376',
    '169.254.43518',
    '3232235521',
    '10.1',
    '0',
    '0.0.0.1',
    '192.168.1',
    '172.31.255.255',
    '100.127.255.255',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '192.0.0.1',
    '192.88.99.1',
    '240.0.0.1',
    '239.255.255.255',
    '[0:0:0:0:0:0:0:1]',
    '[0000:0000:0000:0000:0000:0000:0000:0001]',
    '[::ffff:0:127.0.0.1]',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[0:0:0:0:0:ffff:7f00:1]',
    '[::7f00:1]',
    '[::a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b::10.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:a9fe:a9fe::1]',
    '[2002:a00:1::]',
    '[2001::1]',
    '[2001:10::1]',
    '[2001:20::1]',
    '[fe80::1:2:3:4]',
    '[febf::1]',
    '[fd00:ec2::254]',
    '[ff05::1]',
    '[100::1]',
    '[3fff::1]',
    'LOCALHOST',
    'localhost.',
    'localhost.localdomain',
    'metadata.google.internal',
    'user:password@127.0.0.1',
    '93.184.216.34@127.0.0.1',
  ];
  test('a corpus of 80 and more', () => expect(hidden.length).toBeGreaterThanOrEqual(80));
  test.each(hidden)('does not connect to %s', async (host) => {
    const before = lab.connections;
    for (const scheme of ['http', 'https']) {
      const url = `${scheme}://${host}:${new URL(origin).port}/api/data`;
      // Some spellings are no address to begin with, and no request can be made of them.
      const sent = async () => guarded(new Request(url));
      if (!URL.canParse(url) || host.includes('@')) await expect(sent()).rejects.toThrow();
      else await expect(sent()).rejects.toThrow(ForbiddenAddress);
    }
    expect(lab.connections).toBe(before);
  });

  test('does not follow a redirect, whatever it leads to', async () => {
    let reached = 0;
    const inner = createServer((_, response) => {
      reached += 1;
      response.end();
    });
    await new Promise<void>((done) => inner.listen(0, '127.0.0.1', done));
    const target = `http://127.0.0.1:${(inner.address() as AddressInfo).port}/`;
    for (const status of [301, 302, 303, 307, 308, 300]) {
      for (const name of ['Location', 'Refresh']) {
        const outer = createServer((_, response) =>
          response.writeHead(status, { [name]: name === 'Refresh' ? `0;url=${target}` : target }).end(),
        );
        await new Promise<void>((done) => outer.listen(0, '127.0.0.1', done));
        const url = `http://127.0.0.1:${(outer.address() as AddressInfo).port}/`;
        expect((await createGuardedFetch({ allowed: LOOPBACK })(new Request(url))).status).toBe(status);
        outer.close();
      }
    }
    inner.close();
    expect(reached).toBe(0);
  });

  test('asks for a name once, so that a second answer changes nothing (rebinding)', async () => {
    const before = lab.connections;
    const answers = [
      [{ address: '10.0.0.1', family: 4 }],
      [{ address: '127.0.0.1', family: 4 }],
      [{ address: '::1', family: 6 }],
      [{ address: '::ffff:127.0.0.1', family: 6 }],
      [{ address: '64:ff9b::7f00:1', family: 6 }],
      [],
    ];
    for (const answer of answers) {
      let asked = 0;
      const resolve = async () => {
        asked += 1;
        return answer;
      };
      const url = `http://rebinding.example:${new URL(origin).port}/api/data`;
      await expect(createGuardedFetch({ allowed: ONLY_PUBLIC, resolve })(new Request(url))).rejects.toThrow();
      expect(asked).toBe(1);
    }
    expect(lab.connections).toBe(before);
  });

  test('speaks http and https only', async () => {
    for (const url of [
      'file:///etc/passwd',
      'ftp://127.0.0.1/',
      'data:text/plain,x',
      'blob:http://x/1',
      'gopher://x/',
    ]) {
      await expect((async () => guarded(new Request(url)))()).rejects.toThrow();
    }
  });

  test('does not connect to a name of which one address is private', async () => {
    const resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ];
    await expect(
      createGuardedFetch({ allowed: ONLY_PUBLIC, resolve })(new Request('http://two.example/')),
    ).rejects.toThrow(ForbiddenAddress);
  });

  test('connects to the address that it checked, not to what the name means later', async () => {
    let asked = 0;
    const resolve = async () => {
      asked++;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const transport = createGuardedFetch({ allowed: LOOPBACK, resolve });
    const answer = await transport(new Request(`http://no-such-name.invalid:${new URL(origin).port}/auth/jwks`));
    expect(answer.status).toBe(200);
    expect(asked).toBe(1);
  });

  test.each(['93.184.216.34', '8.8.8.8', '2606:4700::1111', '2a00:1450::1'])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test('gives up on bodies without end and on silence', async () => {
    const slow = createServer((_, outgoing) => {
      outgoing.writeHead(200);
      const more = setInterval(() => outgoing.write('x'.repeat(65_536)), 1);
      outgoing.on('close', () => clearInterval(more));
    });
    await new Promise<void>((done) => slow.listen(0, '127.0.0.1', done));
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
    await expect(createGuardedFetch({ allowed: LOOPBACK, bodyLimit: 300_000 })(new Request(url))).rejects.toThrow(
      'larger',
    );
    await expect(
      createGuardedFetch({ allowed: LOOPBACK, timeoutMs: 50, bodyLimit: 1e9 })(new Request(url)),
    ).rejects.toThrow();
    slow.closeAllConnections();
    slow.close();
  });
});
