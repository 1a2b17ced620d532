import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TlsOptions } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { ServerTargetInput } from '@/lib/contract/assessment-target';
import { createRemoteTarget } from '@/lib/oauth/assessment/remote-target';
import { type HandshakeOptions, shakeHands } from '@/lib/oauth/assessment/tls-handshake';
import { TLS } from '@/lib/oauth/controls/transport/tls';
import { assessAll } from '@/tests/fixtures/assess-all';
import { loopbackNetwork } from '@/tests/fixtures/loopback';
import { partsAreMissing } from '@/tests/fixtures/programs';
import { type TlsServer, tlsServer } from '@/tests/fixtures/tls-server';

/** The verdicts of the controls of TLS. @param isTrusted as if a known authority had signed the certificate */
async function verdictsAt({ port }: Pick<TlsServer, 'port'>, isTrusted: boolean) {
  const origin = `https://localhost:${port}`;
  const handshake = async (_url: string, options: HandshakeOptions) => {
    const seen = await shakeHands({ host: 'localhost', port, address: '127.0.0.1' }, options);
    return isTrusted ? { ...seen, distrust: null } : seen;
  };
  const endpoints = { authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` };
  const target = createRemoteTarget(ServerTargetInput.parse({ endpoints }), { ...loopbackNetwork(), handshake });
  const random = (length: number) => randomBytes(length);
  const findings = await assessAll(target, { clock: () => performance.now(), sleep, random, controls: TLS });
  return Object.fromEntries(findings.map(({ control, verdict }) => [control, verdict.kind]));
}

const FORWARD_SECRET = 'ECDHE+AESGCM';

async function verdictsOf(options: TlsOptions, isTrusted = true) {
  const server = await tlsServer({ ciphers: FORWARD_SECRET, ...options });
  await using _closed = server;
  return await verdictsAt(server, isTrusted);
}

const SOUND = { tls: 'passed', 'tls-version': 'passed', 'tls-certificate': 'passed', 'tls-ciphers': 'passed' };

describe.skipIf(partsAreMissing('oauth/transport-security', 'openssl'))('TLS', () => {
  test('a sound server passes every control', async () => {
    expect(await verdictsOf({})).toEqual(SOUND);
  });

  test.each([
    [
      'tls-version',
      'speaks TLS 1.1',
      { minVersion: 'TLSv1.1', ciphers: 'ECDHE-RSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-SHA:@SECLEVEL=0' },
      true,
    ],
    [
      'tls-ciphers',
      'takes suites without forward secrecy',
      { minVersion: 'TLSv1.2', ciphers: 'ECDHE+AESGCM:AES256-SHA:@SECLEVEL=0' },
      true,
    ],
    ['tls-certificate', 'has a certificate that nobody signed', {}, false],
  ] as const)('%s: a server that %s fails that control alone', async (control, _how, options, isTrusted) => {
    expect(await verdictsOf(options, isTrusted)).toEqual({ ...SOUND, [control]: 'failed' });
  });

  test('where nothing listens, nothing is judged', async () => {
    const server = await tlsServer();
    await server?.[Symbol.asyncDispose]();
    const { tls, ...others } = await verdictsAt({ port: server?.port ?? 0 }, true);
    expect(tls).toBe('passed');
    expect(Object.values(others)).toEqual(['inconclusive', 'inconclusive', 'inconclusive']);
  });
});
