import type { TextProblem } from '@/lib/oauth/token/read-json';

/** Decoded base64url, and the deviations of its spelling from RFC 7515 section 2. */
interface Base64urlReading {
  /** Null if the text cannot be decoded. */
  bytes: Uint8Array | null;
  problems: readonly TextProblem[];
}

/** Unused bits of the last character, by the length of the text modulo 4. */
const UNUSED_BITS = [0, 0, 0b1111, 0b11] as const;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/**
 * Decodes base64url and reports deviations. It still decodes texts with an unambiguous meaning: with padding, `+` and
 * `/`, or stray bits.
 */
export function readBase64url(text: string): Base64urlReading {
  const problems: TextProblem[] = [];
  const bad = text.search(/[^A-Za-z0-9_+/=-]/);
  if (bad >= 0) return createProblem(bad, `“${text.slice(bad, bad + 1)}” is not a character of base64url.`);
  const standard = text.search(/[+/]/);
  if (standard >= 0) {
    const character = text.charAt(standard);
    const message = `“${character}” belongs to base64; base64url has “${character === '+' ? '-' : '_'}” instead.`;
    problems.push({ at: standard, message });
  }
  const bare = text.replace(/(?<!=)=+$/, '');
  if (bare.length < text.length) problems.push({ at: bare.length, message: 'Padding (“=”) is not allowed.' });
  if (bare.includes('=')) return createProblem(bare.indexOf('='), '“=” stands in the middle.');
  if (bare.length % 4 === 1)
    return createProblem(bare.length - 1, 'A character is missing or left over: no bytes have this length.');
  const canonical = bare.replaceAll('+', '-').replaceAll('/', '_');
  const unused = UNUSED_BITS[bare.length % 4] ?? 0;
  if (ALPHABET.indexOf(canonical.charAt(bare.length - 1)) & unused) {
    problems.push({
      at: bare.length - 1,
      message: 'The last character has bits that no byte is in: two spellings of one value.',
    });
  }
  const binary = atob(canonical.replaceAll('-', '+').replaceAll('_', '/'));
  return { bytes: Uint8Array.from(binary, (character) => character.charCodeAt(0)), problems };
}

function createProblem(at: number, message: string): Base64urlReading {
  return { bytes: null, problems: [{ at, message }] };
}
