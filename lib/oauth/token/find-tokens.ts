import { formatNumber } from '@/lib/format-number';
import { isJsonObject, type JsonObject, parseJson } from '@/lib/json';
import { LONGEST_TOKEN } from '@/lib/oauth/token/read-token';

/** Length of the longest text that is searched, in characters. */
export const LONGEST_PASTE = 1_000_000;
const MOST_TOKENS = 10;
const MOST_VALUES = 2_000;

interface FoundToken {
  /** The parameter or member that contained it, or `token` if the whole text is a token. */
  name: string;
  token: string;
}

/** Tokens in a text, with the changes to the text that were needed to find them. */
export interface FoundTokens {
  tokens: readonly FoundToken[];
  notes: readonly string[];
}

const COMPACT = /^[\w-]+\.[\w-]*\.[\w-]*(?:\.[\w-]*\.[\w-]*)?$/;
const NAMES = /^(?:\w*token|(?:client_)?assertion|request|jwt)$/i;
const IN_PROSE = /(?<![\w-])e[wy][\w-]{6,}\.[\w-]*\.[\w-]*(?:\.[\w-]*\.[\w-]*)?/g;
const AFTER_SCHEME = /\b(?:bearer|dpop)[ \t]+([\w.~+/-]+=*)/gi;

/** Finds tokens in pasted text: a token, a header, a URL, a JSON response, a log line. Never throws. */
export function findTokens(pasted: string): FoundTokens {
  if (pasted.length > LONGEST_PASTE) {
    const length = formatNumber(pasted.length);
    return {
      tokens: [],
      notes: [`The text has ${length} characters. At most ${formatNumber(LONGEST_PASTE)} are searched.`],
    };
  }
  const notes: string[] = [];
  const applyStep = (text: string, changed: string, note: string): string => {
    if (changed !== text) notes.push(note);
    return changed;
  };
  let text = pasted.trim();
  text = applyStep(text, text.replace(/[\u200B-\u200F\u2060\uFEFF\u00AD]/g, ''), 'Invisible characters were removed.');
  if (text === '') return { tokens: [], notes };
  const held = findInJson(text) ?? findInAddress(text);
  if (held !== null && held.length > 0) return { tokens: removeDuplicates(held), notes };
  text = applyStep(
    text,
    text.replace(/^(?:authorization\s*:\s*)?(?:bearer|dpop)\s+/i, ''),
    'The scheme of the Authorization header was removed.',
  );
  text = applyStep(text, text.replace(/^(["'`])([\s\S]*)\1[;,]?$/, '$2'), 'The quotes around it were removed.');
  if (/%[0-9a-f]{2}/i.test(text)) text = applyStep(text, decodePercent(text), 'URL encoding was undone.');

  const words = text.split(/\s+/);
  if (words.length > 1 && words.every((word) => COMPACT.test(word)))
    return { tokens: removeDuplicates(words.map(createFoundToken)), notes };
  const joined = words.join('');
  if (!COMPACT.test(joined)) {
    const inProse = [
      ...[...text.matchAll(IN_PROSE)].map(([token]) => createFoundToken(token)),
      ...[...text.matchAll(AFTER_SCHEME)].flatMap(([, token = '']) =>
        token.length > 7 ? [createFoundToken(token)] : [],
      ),
    ];
    // A text without spaces is itself the token, however malformed. Its faults must be reported, not cut off.
    if (inProse.length > 0 && words.length > 1) {
      return { tokens: removeDuplicates(inProse), notes: [...notes, 'The text around it was left out.'] };
    }
  }
  return { tokens: [createFoundToken(applyStep(text, joined, 'Spaces and line breaks were removed.'))], notes };
}

const createFoundToken = (token: string): FoundToken => ({ name: 'token', token });

function removeDuplicates(found: readonly FoundToken[]): FoundToken[] {
  return [...new Map(found.map((each) => [each.token, each])).values()].slice(0, MOST_TOKENS);
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const canHoldToken = (name: string, value: string): boolean =>
  value.length <= LONGEST_TOKEN && (COMPACT.test(value) || (value.length > 7 && NAMES.test(name)));

/** Returns the tokens in a JSON text, or null if the text is not JSON. */
function findInJson(text: string): FoundToken[] | null {
  if (!/^[[{"]/.test(text)) return null;
  const value = parseJson(text);
  if (value === undefined) return null;
  const found: FoundToken[] = [];
  const queue: { name: string; value: unknown }[] = [{ name: 'token', value }];
  for (let seen = 0; seen < MOST_VALUES; seen++) {
    const next = queue.shift();
    if (next === undefined) break;
    if (typeof next.value === 'string' && canHoldToken(next.name, next.value))
      found.push({ name: next.name, token: next.value });
    else if (Array.isArray(next.value))
      queue.push(...next.value.slice(0, MOST_VALUES).map((each) => ({ name: next.name, value: each })));
    else if (isJsonObject(next.value)) {
      const serialized = findInSerialization(next.value);
      found.push(...serialized);
      if (serialized.length === 0)
        queue.push(
          ...Object.entries(next.value)
            .slice(0, MOST_VALUES)
            .map(([name, each]) => ({ name, value: each })),
        );
    }
  }
  return found;
}

const isPart = (value: unknown): value is string => typeof value === 'string' && /^[\w=-]*$/.test(value);

/**
 * Returns the tokens of a JSON serialization, one for each signature or recipient (RFC 7515 section 7.2, RFC 7516 section
 * 7.2). The compact form holds only the protected header.
 */
function findInSerialization(members: JsonObject): FoundToken[] {
  const { payload = '', signatures, ciphertext, recipients } = members;
  if (isPart(ciphertext)) {
    const keys = Array.isArray(recipients) ? recipients.filter(isJsonObject) : [members];
    return keys.map(({ encrypted_key: key = '' }, index) => ({
      name: formatNumberedName('JWE', index, keys.length),
      token: [members.protected, key, members.iv ?? '', ciphertext, members.tag ?? ''].map(String).join('.'),
    }));
  }
  if (typeof payload !== 'string') return [];
  const each = Array.isArray(signatures) ? signatures.filter(isJsonObject) : [members];
  return each.flatMap(({ protected: header, signature }, index) =>
    isPart(header) && isPart(signature)
      ? [{ name: formatNumberedName('JWS', index, each.length), token: `${header}.${payload}.${signature}` }]
      : [],
  );
}

const formatNumberedName = (name: string, index: number, count: number): string =>
  count === 1 ? name : `${name}, ${name === 'JWS' ? 'signature' : 'recipient'} ${index + 1}`;

/** Returns the tokens in the query and fragment of a URL, or in a form body. Returns null for other texts. */
function findInAddress(text: string): FoundToken[] | null {
  if (/\s/.test(text) || !/[?#&]|^[\w.]+=/.test(text)) return null;
  return text
    .split(/[?#]/)
    .flatMap((section) => [...new URLSearchParams(section)])
    .filter(([name, value]) => canHoldToken(name, value))
    .map(([name, token]) => ({ name, token }));
}
