import { describe, expect, it } from 'vitest';
import { parseEmail } from '@/lib/contract/fields/text';

describe('an e-mail address', () => {
  it.each([
    ['ada@example.com', 'ada@example.com'],
    [' Ada.Lovelace+x@EXAMPLE.com ', 'ada.lovelace+x@example.com'],
    ['admin@localhost', 'admin@localhost'],
    ['josé@example.com', 'josé@example.com'],
    ['a@xn--exmple-cua.com', 'a@xn--exmple-cua.com'],
  ])('%s is %s', (given, canonical) => expect(parseEmail(given)).toBe(canonical));

  it.each([
    ['without @', 'ada'],
    ['with two @', 'ada@evil.test@example.com'],
    ['with a full-width @', 'ada@evil.test＠example.com'],
    ['with a small @', 'ada﹫example.com'],
    ['with full-width letters', 'ａda@example.com'],
    ['with the Kelvin sign', 'mi\u212Ae@example.com'],
    ['with a ligature', 'o\uFB03ce@example.com'],
    ['with a domain beyond ASCII', 'ada@exämple.com'],
    ['with a Cyrillic domain', 'ada@ехаmple.com'],
    ['with a comma', 'ada@example.com,evil.test'],
    ['with a quoted part', '"a b"@example.com'],
    ['with a line break', 'ada@example.com\nbcc: x'],
    ['with NUL', 'a\0da@example.com'],
    ['with a zero-width space', 'a\u200Bda@example.com'],
    ['with an override of direction', 'a\u202Eda@example.com'],
    ['with an empty part', '@example.com'],
    ['with an empty domain', 'ada@'],
    ['with an empty label', 'ada@example..com'],
    ['with an address literal', 'ada@[127.0.0.1]'],
    ['too long', `${'a'.repeat(65)}@example.com`],
    ['with half of a surrogate pair', 'a\uD800@example.com'],
  ])('%s is not an address', (_why, given) => expect(parseEmail(given)).toBeNull());
});
