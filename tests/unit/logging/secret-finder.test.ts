import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SecretFinder } from '@/lib/logging/secret-finder';

const form = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
const hex = (byte: number) => byte.toString(16).padStart(2, '0');
const html = (text: string) => text.replaceAll(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** Encodings around the secret; each gets what stands before and after it, too. */
const ENCODERS: Record<string, (text: string) => string> = {
  none: (text) => text,
  form,
  percent: encodeURIComponent,
  'every byte': (text) => [...Buffer.from(text)].map((byte) => `%${hex(byte)}`).join(''),
  'lower case': (text) => encodeURIComponent(text).replaceAll(/%../g, (all) => all.toLowerCase()),
  JSON: (text) => JSON.stringify(text),
  'JSON in ASCII': (text) =>
    JSON.stringify(text).replaceAll(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  HTML: html,
  'form in JSON in HTML': (text) => html(JSON.stringify(form(text))),
  'JSON in a form': (text) => form(JSON.stringify(text)),
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 in a form': (text) => form(Buffer.from(text).toString('base64')),
  'JSON in base64': (text) => Buffer.from(JSON.stringify(text)).toString('base64'),
  'a form in base64': (text) => Buffer.from(form(text)).toString('base64'),
};

const text = (minLength: number, maxLength: number) =>
  fc.string({ unit: 'grapheme-composite', minLength, maxLength }).filter((all) => Buffer.from(all).toString() === all);

test.each(Object.entries(ENCODERS))('finds any secret in any surroundings: %s', (name, encode) => {
  // Percent-encoding of base64 differs in length with what stands before it.
  const slack = name === 'base64 in a form' ? 80 : 8;
  fc.assert(
    fc.property(text(4, 200), text(0, 12), text(0, 12), (secret, before, after) => {
      const finder = new SecretFinder();
      finder.add(secret);
      const hidden = finder.hide(encode(`${before}${secret}${after}`), () => '\u0000');
      expect(hidden).toContain('\u0000');
      // What is left holds no more than what was beside the secret, and the edges of its encoding.
      expect(hidden.replaceAll('\u0000', '').length).toBeLessThanOrEqual(
        encode(before).length + encode(after).length + slack,
      );
    }),
    { numRuns: 150, seed: 20_261_121 },
  );
});

test('finds nothing where there is nothing', () => {
  const finder = new SecretFinder();
  expect(finder.add('abc')).toBe(false);
  expect(finder.hide('abc abc', () => 'x')).toBe('abc abc');
  finder.add('a b&c');
  for (const plain of ['', 'a', 'a b', 'a%20b%26', 'a b&d', 'YSBi', '%', '\\', '&#', '\ud800']) {
    expect(finder.hide(plain, () => 'x')).toBe(plain);
  }
});

test('names the longest of several secrets, once', () => {
  const finder = new SecretFinder();
  for (const secret of ['inner', 'the inner secret', 'secret part']) finder.add(secret);
  expect(finder.hide('<the inner secret part>', (secret) => `[${secret}]`)).toBe('<[the inner secret]>');
  expect(finder.hide('inner, inner', (secret) => `[${secret}]`)).toBe('[inner], [inner]');
});

test('bytes that are read as Latin-1 are found as well', () => {
  const finder = new SecretFinder();
  finder.add('geheimnis-ä€');
  finder.add('schlüssel');
  const asHeader = Buffer.from('x geheimnis-ä€ y').toString('latin1');
  expect(finder.hide(asHeader, () => '*')).toBe('x * y');
  expect(finder.hide('schl%FCssel', () => '*')).toBe('*');
  expect(finder.hide(btoa('schlüssel'), () => '*')).toBe('*');
});
