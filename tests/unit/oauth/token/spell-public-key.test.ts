import { execFileSync } from 'node:child_process';
import { createHash, createPublicKey, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { spellPublicKey } from '@/lib/oauth/token/spell-public-key';

const digest = (secret: Uint8Array | string) => createHash('sha256').update(secret).digest('hex');

const KEYS = {
  RSA: generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey,
  'P-256': generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey,
  'P-384': generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey,
  'P-521': generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey,
  Ed25519: generateKeyPairSync('ed25519').publicKey,
};

/** How OpenSSH writes a key, by ssh-keygen. */
function writeForSsh(pem: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-key-')), 'key.pem');
  writeFileSync(file, pem);
  return execFileSync('ssh-keygen', ['-i', '-m', 'PKCS8', '-f', file], { encoding: 'utf8' });
}

const hasSshKeygen = (() => {
  try {
    execFileSync('ssh-keygen', ['-?'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
})();

describe('the spellings of a public key', () => {
  test.each(Object.entries(KEYS))('%s: hold whatever other software writes', async (kind, key) => {
    const jwk = { ...key.export({ format: 'jwk' }), kid: 'a', use: 'sig' } as JWK;
    const known = new Set((await spellPublicKey(jwk)).map(({ secret }) => digest(secret)));
    const pem = key.export({ type: 'spki', format: 'pem' }).toString();
    const der = key.export({ type: 'spki', format: 'der' });
    const written: Record<string, string | Uint8Array> = {
      'node, PEM': pem,
      'node, DER': der,
      'a file read and trimmed': pem.trim(),
      'a file of Windows': pem.replaceAll('\n', '\r\n'),
      'a template literal that begins with a line break': `\n${pem}`,
      'an environment variable with escapes': JSON.stringify(pem).slice(1, -1),
      'an environment variable in base64': Buffer.from(pem).toString('base64'),
      'a setting without the PEM lines': der.toString('base64'),
      'the published JWK': JSON.stringify(jwk),
      'the published JWK, written by Python': JSON.stringify(jwk).replaceAll('":"', '": "').replaceAll('","', '", "'),
      'a set of one': JSON.stringify({ keys: [jwk] }),
      ...(kind === 'RSA'
        ? {
            'PKCS #1, PEM': key.export({ type: 'pkcs1', format: 'pem' }).toString(),
            'PKCS #1, DER': key.export({ type: 'pkcs1', format: 'der' }),
            modulus: Buffer.from(jwk.n ?? '', 'base64url'),
          }
        : {
            'the point, or the value': der.subarray(
              kind === 'Ed25519' ? -32 : -(kind === 'P-256' ? 65 : kind === 'P-384' ? 97 : 133),
            ),
          }),
      ...(hasSshKeygen && kind !== 'Ed25519'
        ? { OpenSSH: writeForSsh(pem), 'OpenSSH, trimmed': writeForSsh(pem).trim() }
        : {}),
    };
    expect(Object.keys(written).filter((by) => !known.has(digest(written[by] ?? '')))).toEqual([]);
  });

  test('of Ed25519 for OpenSSH is the value behind its name', async () => {
    const jwk = KEYS.Ed25519.export({ format: 'jwk' }) as JWK;
    const [line] = (await spellPublicKey(jwk)).filter(({ format }) => format === 'OpenSSH');
    const [name, blob = ''] = new TextDecoder().decode(line?.secret).split(' ');
    const value = Buffer.from(jwk.x ?? '', 'base64url');
    expect(name).toBe('ssh-ed25519');
    expect(Buffer.from(blob, 'base64').toString('hex')).toBe(
      `0000000b${Buffer.from('ssh-ed25519').toString('hex')}00000020${value.toString('hex')}`,
    );
  });

  test('hold its certificate', async () => {
    const pem = readFileSync('tests/unit/oauth/token/certificate.pem', 'utf8');
    const { raw, publicKey } = new X509Certificate(pem);
    const jwk = {
      ...createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })).export({ format: 'jwk' }),
      x5c: [raw.toString('base64')],
    } as JWK;
    const known = new Set((await spellPublicKey(jwk)).map(({ secret }) => digest(secret)));
    for (const written of [pem, pem.trim(), raw, raw.toString('base64')]) expect(known).toContain(digest(written));
  });

  test('are none for a secret and for a key that is damaged', async () => {
    expect(await spellPublicKey({ kty: 'oct', k: 'AAAA' })).toEqual([]);
    expect(await spellPublicKey({ kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' })).toEqual([]);
    expect(await spellPublicKey({})).toEqual([]);
  });

  test('are found although certificates in them are none', async () => {
    const jwk = KEYS['P-256'].export({ format: 'jwk' });
    for (const x5c of [5, 'AAAA', [5], ['not base64!'], {}]) {
      const formats = (await spellPublicKey({ ...jwk, x5c } as JWK)).map(({ format }) => format);
      expect(formats).toContain('PEM');
      expect(formats).not.toContain('X.509');
    }
  });

  test('differ from one another', async () => {
    const spellings = await spellPublicKey(KEYS.RSA.export({ format: 'jwk' }) as JWK);
    expect(new Set(spellings.map(({ secret }) => digest(secret))).size).toBe(spellings.length);
    expect(new Set(spellings.map(({ format, spelling }) => `${format} ${spelling}`)).size).toBe(spellings.length);
  });
});
