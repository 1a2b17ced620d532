import { createPrivateKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { findCertificateProblem } from '@/lib/oauth/assessment/client-certificate';
import { createAssessmentNetwork, createGuardedFetch, ForbiddenAddress } from '@/lib/oauth/assessment/guarded-fetch';
import { Probe } from '@/lib/oauth/assessment/probe';
import { createRemoteTarget } from '@/lib/oauth/assessment/remote-target';
import type { Finding } from '@/lib/oauth/assessment/run';
import { Sender, SharedState } from '@/lib/oauth/assessment/sender';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessAll } from '@/tests/fixtures/assess-all';
import { assessServer, idsOf } from '@/tests/fixtures/assess-server';
import { labWithMutualTls } from '@/tests/fixtures/lab-mutual-tls';
import { LOOPBACK } from '@/tests/fixtures/loopback';
import { type Method, mutualTlsServer, type Weakness } from '@/tests/fixtures/mutual-tls-server';
import { ONLY_PUBLIC } from '@/tests/fixtures/only-public';
import { partsAreMissing } from '@/tests/fixtures/programs';
import { testAuthority } from '@/tests/fixtures/test-authority';
import { VERDICTS_ALONE } from '@/tests/unit/oauth/lab-fixture';

const CONTROLS = [
  'client-authentication',
  'client-certificate',
  'client-certificate-header',
  'certificate-bound-tokens',
  'certificate-binding',
  'certificate-refresh-binding',
];

async function verdictsAt(method: Method, weaknesses: readonly Weakness[] = []) {
  await using server = await mutualTlsServer(method, weaknesses);
  const assessed = await assessServer(await server.describe(), { controls: CONTROLS, network: network() });
  return { ...assessed, verdicts: toVerdicts(assessed.findings), seen: [...server.seen].sort() };
}

const network = () => createAssessmentNetwork({ allowed: LOOPBACK, authorities: testAuthority().certificate });

const toVerdicts = (findings: readonly Finding[]): Record<string, string> =>
  Object.fromEntries(findings.map(({ control, verdict }) => [control, verdict.kind]));

const SOUND = {
  'client-authentication': 'passed',
  'client-certificate': 'passed',
  'client-certificate-header': 'passed',
  'certificate-bound-tokens': 'passed',
  'certificate-binding': 'passed',
  'certificate-refresh-binding': 'not_applicable',
};
const SOUND_PUBLIC = {
  ...SOUND,
  'client-authentication': 'inconclusive',
  'client-certificate': 'not_applicable',
  'certificate-refresh-binding': 'passed',
};

describe.skipIf(partsAreMissing('oauth/mutual-tls', 'openssl'))('mutual TLS', () => {
  test.each([
    ['tls_client_auth', SOUND],
    ['self_signed_tls_client_auth', SOUND],
    ['none', SOUND_PUBLIC],
  ] as const)('a sound server passes (%s)', async (method, sound) => {
    const { verdicts, findings, seen } = await verdictsAt(method);
    // Both are public or secret, and neither belongs into a report.
    expect(JSON.stringify(findings)).not.toMatch(/BEGIN|PRIVATE KEY|MII[A-Za-z0-9+/]{40}/);
    expect(seen.filter((path) => !['/data', '/token', '/token/introspection'].includes(path))).toEqual([]);
    expect(
      verdicts,
      JSON.stringify(
        findings.map(({ control, verdict }) => [control, verdict]),
        null,
        1,
      ),
    ).toEqual(sound);
  });

  test.each([
    ['the resource compares no certificate', 'certificate-binding', 'tls_client_auth'],
    ['a header is taken for a certificate', 'client-certificate-header', 'tls_client_auth'],
    ['a header is taken for a certificate at the resource', 'client-certificate-header', 'none'],
    ['any certificate for the subject is taken', 'client-certificate', 'tls_client_auth'],
    ['refresh tokens are not bound', 'certificate-refresh-binding', 'none'],
    ['tokens are not bound', 'certificate-bound-tokens', 'tls_client_auth'],
  ] as const)('where %s, %s alone fails (%s)', async (weakness, control, method) => {
    const { findings, verdicts } = await verdictsAt(method, [weakness]);
    const all = JSON.stringify(
      findings.map((finding) => [finding.control, finding.verdict]),
      null,
      1,
    );
    expect(idsOf({ findings }, 'failed'), all).toEqual([control]);
    const sound = Object.entries(method === 'none' ? SOUND_PUBLIC : SOUND);
    for (const [id, verdict] of sound)
      if (id !== control) expect([verdict, 'not_applicable'], `${id}\n${all}`).toContain(verdicts[id]);
  });

  test('a server that asks for no certificate passes nothing', async () => {
    const { findings, verdicts } = await verdictsAt('tls_client_auth', ['no certificate is asked for']);
    expect(idsOf({ findings }, 'passed', 'failed')).toEqual([]);
    expect(verdicts['certificate-bound-tokens']).toBe('inconclusive');
    expect(findings.find(({ control }) => control === 'client-certificate')?.verdict.reason).toMatch(
      /asks for no certificate in the TLS handshake/,
    );
  });

  test('a server that ends connections without a right certificate passes', async () => {
    const { verdicts } = await verdictsAt('tls_client_auth', ['only certificates of the authority connect']);
    expect(verdicts).toEqual(SOUND);
  });

  test.each([
    ['tls_client_auth', 'demo-certificate', SOUND],
    ['none', 'demo-client', SOUND_PUBLIC],
  ] as const)('the lab passes behind a server that sees certificates (%s)', async (authentication, id, sound) => {
    await using lab = await labWithMutualTls();
    const certificate = testAuthority().sign(`/CN=${id}`);
    const client = { client_id: id, redirect_uri: 'https://app.example.com/callback', authentication, ...certificate };
    const described = ServerTargetInput.parse({
      ...{ issuer: lab.origin, client, scope: 'openid profile offline_access' },
      resource: { url: `${lab.origin}/api/data` },
    });
    const target = { ...createRemoteTarget(described, network()), capabilities: { directAuthorization: true } };
    const controls = CATALOGUE.filter((control) => CONTROLS.includes(control.id));
    const findings = await assessAll(target, { ...VERDICTS_ALONE, controls });
    expect(toVerdicts(findings)).toEqual(sound);
  });

  test('a client with a certificate presents it wherever the lab lets clients authenticate', async () => {
    await using lab = await labWithMutualTls();
    const certificate = testAuthority().sign('/CN=demo-certificate');
    const authentication = 'tls_client_auth';
    const client = {
      client_id: 'demo-certificate',
      redirect_uri: 'https://app.example.com/callback',
      authentication,
      ...certificate,
    };
    const described = ServerTargetInput.parse({
      ...{ issuer: lab.origin, client, scope: 'openid profile offline_access' },
      resource: { url: `${lab.origin}/api/data` },
    });
    const target = { ...createRemoteTarget(described, network()), capabilities: { directAuthorization: true } };
    const ids = [
      'par',
      'device-code-entropy',
      'device-code-single-use',
      'revocation-effective',
      'token-exchange-subject',
    ];
    const controls = CATALOGUE.filter(({ id }) => ids.includes(id));
    const findings = await assessAll(target, { ...VERDICTS_ALONE, controls });
    const reasons = findings.map(({ control, verdict }) => `${control}: ${verdict.reason}`).join('\n');
    expect(toVerdicts(findings), reasons).toEqual(Object.fromEntries(ids.map((id) => [id, 'passed'])));
  });

  test('a certificate goes to the endpoints of the metadata and to the resource alone', async () => {
    const { certificate: chain, key } = testAuthority().sign('/CN=a-client');
    const presented: string[] = [];
    const metadata = {
      issuer: 'https://login.example.com',
      token_endpoint: 'https://login.example.com/token',
      mtls_endpoint_aliases: { token_endpoint: 'https://mtls.example.com/token' },
    };
    const described = { issuer: metadata.issuer, resource: { url: 'https://api.example.com/data' } };
    const target = createRemoteTarget(ServerTargetInput.parse(described), {
      transport: async ({ url }, certificate) => {
        if (certificate !== undefined) presented.push(url);
        return Response.json(metadata);
      },
      handshake: network().handshake,
      now: Date.now,
    });
    const shared = new SharedState(target, VERDICTS_ALONE, VERDICTS_ALONE.redaction);
    const probe = new Probe(target, new Sender(shared));
    const endpoints = ['https://mtls.example.com/token', 'https://login.example.com/token?a=b'];
    const others = ['https://login.example.com/', 'https://mtls.example.com.evil.example/token'];
    for (const url of [...endpoints, 'https://api.example.com/data', ...others])
      await probe.send('A request', url, {}, { certificate: { chain, key } });
    expect(presented).toEqual([...endpoints, 'https://api.example.com/data']);
  });

  test('the network refuses private addresses with a certificate as without', async () => {
    const { certificate: chain, key } = testAuthority().sign('/CN=a-client');
    const transport = createGuardedFetch({ allowed: ONLY_PUBLIC });
    await expect(transport(new Request('https://127.0.0.1/'), { chain, key })).rejects.toThrow(ForbiddenAddress);
  });

  describe('the certificate of a client', () => {
    const problemOf = (client: object, now = Date.now()) => {
      const all = { client_id: 'a', redirect_uri: 'https://a.example/', authentication: 'tls_client_auth', ...client };
      const parsed = ServerTargetInput.safeParse({ issuer: 'https://a.example', client: all });
      if (parsed.success) return findCertificateProblem(parsed.data, now);
      const [{ path, message } = { path: [], message: '' }] = parsed.error.issues;
      return { path: path.join('.'), message };
    };

    test('is taken with its key as PEM or as JWK', async () => {
      const { certificate, key } = testAuthority().sign('/CN=a-client');
      const chain = certificate + testAuthority().certificate;
      expect(problemOf({ certificate: chain, key })).toBeNull();
      expect(problemOf({ certificate, key: createPrivateKey(key).export({ format: 'jwk' }) })).toBeNull();
      expect(problemOf({ certificate, key, authentication: 'none' })).toBeNull();
    });

    test('is refused with the name of the field', () => {
      const [one, other] = [testAuthority().sign('/CN=one'), testAuthority().sign('/CN=other')];
      const { certificate, key } = one;
      const week = 7 * 86_400_000;
      const encrypted = createPrivateKey(key)
        .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
        .toString();
      const cut = certificate.replace(/.{40}\n/, '\n');
      const cases: [object, number | undefined, string, RegExp][] = [
        [{ key }, undefined, 'client.certificate', /is required/],
        [{ certificate }, undefined, 'client.key', /is required/],
        [{ certificate: 'x', key }, undefined, 'client.certificate', /must be a certificate/],
        [{ certificate: cut, key }, undefined, 'client.certificate', /must be a certificate/],
        [{ certificate, key }, Date.now() + week, 'client.certificate', /it expired on/],
        [{ certificate, key }, Date.now() - week, 'client.certificate', /must be valid now/],
        [{ certificate, key: 'x' }, undefined, 'client.key', /must be the private key/],
        [{ certificate, key: encrypted }, undefined, 'client.key', /without a password/],
        [{ certificate, key: other.key }, undefined, 'client.key', /another one/],
        [{ ...one, authentication: 'basic', secret: 'a' }, undefined, 'client.certificate', /must be absent/],
        [{ authentication: 'private_key_jwt', key }, undefined, 'client.key', /private JWK/],
      ];
      for (const [client, now, path, message] of cases) {
        expect(problemOf(client, now)?.path, JSON.stringify(client)).toBe(path);
        expect(problemOf(client, now)?.message).toMatch(message);
      }
    });
  });
});
