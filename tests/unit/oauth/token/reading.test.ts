import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { explainMembers } from '@/lib/oauth/token/explain';
import { findTokens, LONGEST_PASTE } from '@/lib/oauth/token/find-tokens';
import { judgeToken } from '@/lib/oauth/token/judge-token';
import { formatPosition, readJson } from '@/lib/oauth/token/read-json';
import { readKeys } from '@/lib/oauth/token/read-keys';
import { LONGEST_TOKEN, readToken, type SignedToken } from '@/lib/oauth/token/read-token';
import { verifySignature } from '@/lib/oauth/token/verify-signature';

const part = (text: string) => Buffer.from(text).toString('base64url');
const HEADER = part('{"alg":"ES256","typ":"at+jwt"}');
const PAYLOAD = part('{"iss":"https://issuer.example","aud":"api"}');
const TOKEN = `${HEADER}.${PAYLOAD}.c2lnbmF0dXJl`;

function signed(token: string): SignedToken {
  const reading = readToken(token);
  if (reading.kind !== 'signed') throw new Error(`It is ${reading.kind}.`);
  return reading;
}
const messages = (token: string) => signed(token).problems.map(({ part, message }) => `${part}: ${message}`);

describe('tokens in pasted texts', () => {
  test.each([
    ['a token', TOKEN],
    ['a header', `Authorization: Bearer ${TOKEN}`],
    ['a header of DPoP', `authorization: DPoP ${TOKEN}`],
    ['a curl command', `curl -sS 'https://api.example/data' \\\n  -H 'Authorization: Bearer ${TOKEN}'`],
    ['a redirect', `https://app.example/cb#access_token=${TOKEN}&token_type=Bearer`],
    ['a query', `https://app.example/cb?state=1&id_token=${TOKEN}`],
    ['a JSON response', JSON.stringify({ expires_in: 60, access_token: TOKEN })],
    ['a JSON Web Signature', JSON.stringify({ protected: HEADER, payload: PAYLOAD, signature: 'c2lnbmF0dXJl' })],
    ['a log line', `2026-11-22 12:00 denied token=${TOKEN} from 192.0.2.1`],
    ['quotes', `"${TOKEN}",`],
    ['broken lines', `${TOKEN.slice(0, 20)}\n  ${TOKEN.slice(20)}\n`],
    ['URL encoding', encodeURIComponent(`${TOKEN}`).replaceAll('.', '%2E')],
    ['invisible characters', `\uFEFF${TOKEN.slice(0, 9)}\u200B${TOKEN.slice(9)}`],
  ])('%s', (_, text) => {
    expect(findTokens(text).tokens.map(({ token }) => token)).toEqual([TOKEN]);
  });

  test('a pretty-printed header begins otherwise', () => {
    const token = `${part('{\n  "alg": "ES256"\n}')}.${PAYLOAD}.AA`;
    expect(findTokens(`the token was ${token}, he said`).tokens).toEqual([{ name: 'token', token }]);
  });

  test('each token of a response is found once, by its name', () => {
    const text = JSON.stringify({ access_token: TOKEN, refresh_token: 'opaque-refresh', id_token: `${TOKEN}x` });
    expect(findTokens(text).tokens.map(({ name }) => name)).toEqual(['access_token', 'refresh_token', 'id_token']);
  });

  test('an opaque token in a curl command is found', () => {
    const { tokens } = findTokens("curl -H 'Authorization: Bearer 2YotnFZFEjr1zCsicMWpAA' https://api.example");
    expect(tokens).toEqual([{ name: 'token', token: '2YotnFZFEjr1zCsicMWpAA' }]);
  });

  test('a text of more than a million characters is not searched', () => {
    const { tokens, notes } = findTokens('a'.repeat(LONGEST_PASTE + 1));
    expect(tokens).toEqual([]);
    expect(notes).toEqual(['The text has 1,000,001 characters. At most 1,000,000 are searched.']);
  });
});

describe('reading a token', () => {
  test('of three parts', () => {
    const reading = signed(TOKEN);
    expect(reading.header.members).toEqual({ alg: 'ES256', typ: 'at+jwt' });
    expect(reading.payload.start).toBe(HEADER.length + 1);
    expect(reading.problems).toEqual([]);
  });

  test('of another kind', () => {
    expect(readToken(`${part('{"alg":"RSA-OAEP","enc":"A256GCM"}')}.a.b.c.d`).kind).toBe('encrypted');
    expect(readToken('2YotnFZFEjr1zCsicMWpAA')).toEqual({
      kind: 'opaque',
      reason: 'There is no dot in it: it is opaque, and only its issuer can read it.',
    });
    expect(readToken(`${TOKEN}~WyJhIl0~WyJiIl0~`)).toEqual({ kind: 'sd-jwt', disclosures: 2 });
    expect(readToken('a'.repeat(LONGEST_TOKEN + 1))).toEqual({ kind: 'too_long', length: LONGEST_TOKEN + 1 });
  });

  test.each([
    ['no base64url', `${HEADER}.ab*d.AA`, 'payload: “*” is not a character of base64url.'],
    ['padding', `${HEADER}=.${PAYLOAD}.AA`, 'header: Padding (“=”) is not allowed.'],
    ['standard base64', `${HEADER}.${PAYLOAD}.+/AA`, 'signature: “+” belongs to base64; base64url has “-” instead.'],
    ['a stray bit', `${HEADER}.${PAYLOAD}.AB`, 'signature: The last character has bits that no byte is in'],
    [
      'no JSON',
      `${HEADER}.${part('{"iss":}')}.AA`,
      'payload: Not JSON, at character 8 of the decoded text: A value is',
    ],
    ['no object', `${HEADER}.${part('[1]')}.AA`, 'payload: The JSON is not an object.'],
    ['no UTF-8', `${HEADER}._w.AA`, 'payload: The bytes are not UTF-8'],
    ['a member twice', `${HEADER}.${part('{"a":1,"a":2}')}.AA`, 'payload: The member "a" is repeated.'],
    ['nesting without an end', `${HEADER}.${part(`${'['.repeat(9_000)}`)}.AA`, 'The text ends too early.'],
    ['no algorithm', `${part('{}')}.${PAYLOAD}.AA`, 'header: There is no “alg”'],
    ['alg none', `${part('{"alg":"none"}')}.${PAYLOAD}.`, 'header: “alg” is none: nothing protects this token.'],
    ['an empty signature', `${HEADER}.${PAYLOAD}.`, 'signature: The signature is empty, although “alg” is ES256.'],
    ['an empty payload', `${HEADER}..AA`, 'payload: The payload is empty.'],
  ])('that has %s', (_, token, message) => {
    expect(messages(token).join('\n')).toContain(message);
  });

  test('whose claims are in any script', () => {
    const claims = { name: 'Zoë Ωμέγα 漢字 👩‍👩‍👧', '\u202Eevil': '\u0000\u200B' };
    const { payload } = signed(`${HEADER}.${part(JSON.stringify(claims))}.AA`);
    expect(payload.members).toEqual(claims);
    const explained = explainMembers('payload', payload.members ?? {});
    expect(explained[0]?.value).toContain('漢字');
    expect(JSON.stringify(explained[1])).not.toMatch(/[\u202E\u200B]/);
  });
});

describe('JSON', () => {
  test('agrees with the engine on every text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json({ maxDepth: 6 }),
      fc.tuple(fc.json(), fc.nat(), fc.string({ maxLength: 2 })).map(([json, at, junk]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + junk + json.slice(place);
      }),
      fc.string({ unit: fc.constantFrom(...'{}[]",:.-+eE019 \\untrfalse\n\u00e9') }),
    );
    fc.assert(
      fc.property(text, (json) => {
        let expected: unknown;
        try {
          expected = JSON.parse(json);
        } catch {
          expected = undefined;
        }
        const { value, error } = readJson(json);
        expect(value).toEqual(expected);
        expect(error === null).toBe(expected !== undefined);
      }),
      { numRuns: 3_000 },
    );
  });

  test('an error has a line and a column', () => {
    const text = '{\n  "a": 1,\n}';
    const { error } = readJson(text);
    expect([error?.message, formatPosition(text, error?.at ?? 0)]).toEqual([
      'A comma stands before “}”.',
      'line 3, column 1',
    ]);
  });
});

test('no text makes anything throw, or shows a control character', async () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map(part),
    fc.json().map(part),
    fc
      .dictionary(fc.constantFrom('alg', 'typ', 'kid', 'crit', 'exp', 'aud', 'cnf', 'act'), fc.jsonValue())
      .map((value) => part(JSON.stringify(value))),
  );
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('.')),
  );
  await fc.assert(
    fc.asyncProperty(text, text, async (pasted, keys) => {
      for (const { token } of findTokens(pasted).tokens) readToken(token);
      const keysRead = await readKeys(keys);
      const reading = readToken(pasted);
      if (reading.kind !== 'signed') return;
      for (const kind of ['header', 'payload'] as const) {
        for (const { name, value } of explainMembers(kind, reading[kind].members ?? {}))
          expect(name + value).not.toMatch(/(?![\n\t])\p{Cc}|[\u202a-\u202e]/u);
      }
      const signature = await verifySignature(reading, keysRead.ok ? keysRead.keys : []);
      judgeToken({ reading, signature, guessedSecret: null, issuer: '', audience: '', now: 0, tolerance: 5 });
    }),
    { numRuns: 2_000 },
  );
});
