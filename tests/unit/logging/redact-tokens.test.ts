import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactTokens } from '@/lib/logging/redact-tokens';

const random = () => randomBytes(32).toString('base64url');
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = `${part({ alg: 'ES256', typ: 'at+jwt' })}.${part({ sub: 'alice' })}.${random()}`;
const jwe = `${part({ alg: 'dir', enc: 'A256GCM' })}..${random()}.${random()}.${random()}`;
const everyByte = (text: string) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');

describe('tokens are recognised by their looks', () => {
  const tokens = ['slt_', 'slk_', 'slc_', 'slr_'].map((prefix) => prefix + random()).concat(jwt, jwe);
  const spellings: Record<string, (text: string) => string> = {
    plain: (text) => text,
    'every character encoded': everyByte,
    'in upper case': (text) => everyByte(text).toUpperCase(),
    twice: (text) => everyByte(text).replaceAll('%', '%25'),
    'some characters encoded': (text) => text.replaceAll(/[_.e3-7-]/g, everyByte),
  };
  const places = [
    (token: string) => `/v1/admin/${token}`,
    (token: string) => `/a%2F${token}%2Fb`,
    (token: string) => `/a/${token}.json`,
    (token: string) => `/x=${token};y`,
    (token: string) => `say "${token}", and ${token}!`,
    (token: string) => `/v1/${token}/${token}?q=${token}#${token}`,
    (token: string) => `x${token}`,
  ];
  for (const [name, spell] of Object.entries(spellings)) {
    it.each(tokens)(`${name}: token %#`, (token) => {
      for (const place of places) {
        const left = redactTokens(place(spell(token)));
        const decoded = left.replaceAll('%25', '%').replaceAll(/%[\da-f]{2}/gi, (all) => decodeURIComponent(all));
        // What lists show of a token, too, stays: its prefix and eight characters; eight of a JWT.
        for (let at = 12; at + 12 <= token.length; at += 1) expect(decoded).not.toContain(token.slice(at, at + 12));
        expect(decoded).toContain(token.slice(0, token.startsWith('eyJ') ? 8 : 12));
      }
    });
  }

  it('everything beside them stays, byte for byte', () => {
    const token = `slt_AbCdEfGh${random()}`;
    expect(redactTokens(`/v1/%20/admin/${token}/%7Ex?é=${token}`)).toBe(
      '/v1/%20/admin/slt_AbCdEfGh…/%7Ex?é=slt_AbCdEfGh…',
    );
    fc.assert(
      fc.property(fc.webPath(), fc.string(), (path, text) => {
        fc.pre(!/sl[ckrt]_|eyJ/i.test(path + text));
        expect(redactTokens(path)).toBe(path);
        expect(redactTokens(text)).toBe(text);
      }),
    );
    for (const plain of [
      '/xslt_stylesheet_v2.xsl',
      '/v1/admin/api-keys/8f14e45f-ceea-467f-a0e6-1f2d3c4b5a69/rotate',
      '/journeyJackets.min.js',
      '/eyJhIjoxfQ',
      '/%E6%BC%A2%E5%AD%97%E6%BC%A2%E5%AD%97/0123456789-0123456789',
      'slk_AbCdEfGh',
    ]) {
      expect(redactTokens(plain)).toBe(plain);
    }
  });
});
