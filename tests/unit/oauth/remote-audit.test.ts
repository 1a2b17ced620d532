import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ForbiddenAddress, guardedFetch } from '@/lib/oauth/audit/guarded-fetch';
import { isPublicAddress } from '@/lib/oauth/audit/public-address';
import { RemoteTargetInput, remoteTarget } from '@/lib/oauth/audit/remote-target';
import { auditAll, type Finding } from '@/lib/oauth/audit/run-audit';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { handleLabRequest } from '@/lib/oauth/lab/handle-lab-request';
import { memoryState } from '@/lib/oauth/lab/memory-state';

/** The lab behind a real HTTP server: a foreign authorization server, as far as the audit can tell. */
let server: Server;
let origin: string;
/** What the server is told to leave out, in place of a session that has agreed before. */
let off: string | null = null;
let connections = 0;
beforeAll(async () => {
  const state = memoryState();
  server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const headers = new Headers(incoming.headers as Record<string, string>);
    if (off !== null) headers.set('sluice-lab-controls', off);
    const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
    const request = new Request(origin + incoming.url, { method: incoming.method, headers, body });
    const services = { origin, state, now: () => Date.now(), random: (size: number) => randomBytes(size) };
    const answer = await handleLabRequest(request, services);
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
    outgoing.end(Buffer.from(await answer.arrayBuffer()));
  });
  server.on('connection', () => connections++);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const redirect = 'https://app.example.com/callback';
const describeTarget = () =>
  RemoteTargetInput.parse({
    issuer: origin,
    client: { client_id: 'demo-client', redirect_uri: redirect },
    other_client: { client_id: 'demo-confidential', client_secret: 'demo-secret', redirect_uri: redirect },
    native_client: { client_id: 'demo-native', redirect_uri: 'http://127.0.0.1/callback' },
    several_redirect_uris: true,
    scope: 'openid profile offline_access',
    resource: { url: `${origin}/api/data`, scope: 'profile' },
  });
const options = { clock: () => performance.now(), random: (length: number) => randomBytes(length) };
const judge = () => auditAll(remoteTarget(describeTarget(), guardedFetch({ allowPrivate: true })), options);
const ofKind = (findings: readonly Finding[], kind: string) =>
  findings.filter((one) => one.verdict.kind === kind).map((one) => one.control);

describe('a server over HTTP', () => {
  test('that asks for consent is not failed and not passed for what could not be tried', async () => {
    off = null;
    const findings = await judge();
    expect(ofKind(findings, 'failed')).toEqual([]);
    expect(ofKind(findings, 'inconclusive').length).toBeGreaterThan(20);
    expect(ofKind(findings, 'passed')).toContain('user-consent');
    expect(ofKind(findings, 'passed')).not.toContain('code-single-use');
  });

  test('that gives codes to a session is judged, except for what only its owner could try', async () => {
    off = 'user-consent=?0';
    const findings = await judge();
    expect(ofKind(findings, 'failed')).toEqual(['user-consent']);
    const forged = ['issuer-validated', 'not-before', 'code-lifetime', 'token-expiry'];
    expect(ofKind(findings, 'inconclusive').sort()).toEqual(forged.sort());
    expect(ofKind(findings, 'not_applicable')).toEqual(['pkce-downgrade']);
    expect(findings).toHaveLength(CATALOGUE.length);
  });

  test('that is weak is failed', async () => {
    off = 'user-consent=?0, strict-redirect-uri=?0, validate-audience=?0, alg-none=?0, pkce-verified=?0';
    expect(ofKind(await judge(), 'failed').sort()).toEqual(
      ['alg-none', 'pkce-verified', 'strict-redirect-uri', 'user-consent', 'validate-audience'].sort(),
    );
  });

  test('leaves no secret in the evidence', async () => {
    off = 'user-consent=?0';
    expect(JSON.stringify(await judge())).not.toMatch(/demo-secret|ZGVtby1jb25maWRlbnRpYWw6ZGVtby1zZWNyZXQ/);
  });

  test('that is not there is inconclusive throughout', async () => {
    const nobody = RemoteTargetInput.parse({
      issuer: 'http://127.0.0.1:9',
      client: { client_id: 'a', redirect_uri: redirect },
    });
    const findings = await auditAll(remoteTarget(nobody, guardedFetch({ allowPrivate: true })), options);
    expect(ofKind(findings, 'passed').concat(ofKind(findings, 'failed'))).toEqual([]);
  });
});

describe('the guard', () => {
  const guarded = guardedFetch({ allowPrivate: false, resolve: async () => [{ address: '127.0.0.1', family: 4 }] });

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
  ];
  test.each(hidden)('does not connect to %s', async (host) => {
    const before = connections;
    const url = `http://${host}:${new URL(origin).port}/api/data`;
    await expect(guarded(new Request(url))).rejects.toThrow(ForbiddenAddress);
    expect(connections).toBe(before);
  });

  test('does not connect to a name of which one address is private', async () => {
    const resolve = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ];
    await expect(guardedFetch({ allowPrivate: false, resolve })(new Request('http://two.example/'))).rejects.toThrow(
      ForbiddenAddress,
    );
  });

  test('connects to the address that it checked, not to what the name means later', async () => {
    let asked = 0;
    const resolve = async () => {
      asked++;
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const transport = guardedFetch({ allowPrivate: true, resolve });
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
    await expect(guardedFetch({ allowPrivate: true, bodyLimit: 300_000 })(new Request(url))).rejects.toThrow('larger');
    await expect(
      guardedFetch({ allowPrivate: true, timeoutMs: 50, bodyLimit: 1e9 })(new Request(url)),
    ).rejects.toThrow();
    slow.closeAllConnections();
    slow.close();
  });
});
