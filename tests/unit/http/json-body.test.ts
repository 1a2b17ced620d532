import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ApiError } from '@/lib/http/api-error';
import { MAX_BODY_BYTES } from '@/lib/http/body-limits';
import { parseJson, readJson } from '@/lib/http/json-body';
import { refusedBy } from '../../fixtures/refused-by';

const bytes = (text: string) => new TextEncoder().encode(text);

const codeOf = (work: () => unknown) => refusedBy(ApiError, work)?.code ?? 'none';

const request = (body: BodyInit | null, type = 'application/json') =>
  new Request('http://localhost/', { method: 'POST', body, headers: { 'Content-Type': type } });

describe('strict JSON', () => {
  it.each(['{', '{"a":1,}', 'NaN', '\ufeff{}', '{"a":1} x', "{'a':1}", '{"a":1}// c', '{"a":\t"\n"}', ''])(
    'refuses %j as bad_request',
    (text) => {
      expect(codeOf(() => parseJson(bytes(text)))).toBe('bad_request');
    },
  );

  it.each([
    [0xff, 0xfe],
    [0x22, 0xc3, 0x28, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
  ])('refuses invalid UTF-8 %#', (...data) => {
    expect(codeOf(() => parseJson(new Uint8Array(data)))).toBe('bad_request');
  });

  it.each(['{"a":1,"a":2}', '{"a":1,"a":1}', '{"x":{"a":1,"b":2,"a":3}}', '[{"a":1,"\\u0061":2}]'])(
    'refuses the repeated name in %s',
    (text) => {
      expect(codeOf(() => parseJson(bytes(text)))).toBe('bad_request');
    },
  );

  it.each(['{"__proto__":1}', '[{"a":{"__proto__":{}}}]', '{"\\u005f_proto__":null}', '{"costs":{"__proto__":5}}'])(
    'refuses %s, because schemas would drop the member',
    (text) => {
      expect(codeOf(() => parseJson(bytes(text)))).toBe('invalid_request');
    },
  );

  it('keeps equal names of different objects', () => {
    expect(parseJson(bytes('{"a":{"a":1},"b":[{"a":2},{"a":3}]}'))).toEqual({ a: { a: 1 }, b: [{ a: 2 }, { a: 3 }] });
  });

  it('refuses nesting beyond 8 levels without recursing into it', () => {
    expect(codeOf(() => parseJson(bytes(`${'['.repeat(9)}${']'.repeat(9)}`)))).toBe('invalid_request');
    expect(codeOf(() => parseJson(bytes(`${'['.repeat(8)}${']'.repeat(8)}`)))).toBe('none');
    expect(codeOf(() => parseJson(bytes('['.repeat(60_000))))).toBe('bad_request');
    expect(codeOf(() => parseJson(bytes('"[[[[[[[[[[["')))).toBe('none');
  });
});

/** JSON text, how deep it nests, and whether an object of it writes one name twice, or `__proto__`. */
interface Written {
  text: string;
  depth: number;
  repeats: boolean;
  isOfProto: boolean;
}

const { json } = fc.letrec<{ json: Written }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 9, withCrossShrink: true },
    fc
      .oneof(fc.string({ unit: fc.constantFrom(...'ab:{}[]",\\') }), fc.integer(), fc.constantFrom(null, true))
      .map((value) => ({ text: JSON.stringify(value), depth: 0, repeats: false, isOfProto: false })),
    fc.array(tie('json'), { maxLength: 3 }).map((all) => nested('[', all, (each) => each.map(({ text }) => text))),
    fc
      .array(fc.tuple(fc.constantFrom('a', 'b', ':', '__proto__', '\u00e9'), tie('json')), { maxLength: 3 })
      .map((members) => {
        const names = members.map(([name]) => name);
        const object = nested(
          '{',
          members.map(([, member]) => member),
          (each) => each.map(({ text }, i) => `${JSON.stringify(names[i])}:${text}`),
        );
        return {
          ...object,
          repeats: object.repeats || new Set(names).size < names.length,
          isOfProto: object.isOfProto || names.includes('__proto__'),
        };
      }),
  ),
}));

function nested(open: '[' | '{', all: Written[], texts: (all: Written[]) => string[]): Written {
  return {
    text: `${open}${texts(all).join(',')}${open === '[' ? ']' : '}'}`,
    depth: 1 + Math.max(0, ...all.map(({ depth }) => depth)),
    repeats: all.some(({ repeats }) => repeats),
    isOfProto: all.some(({ isOfProto }) => isOfProto),
  };
}

it('is refused for its depth, a name that is repeated or is __proto__, else read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(json, ({ text, depth, repeats, isOfProto }) => {
      if (isOfProto) expect(codeOf(() => parseJson(bytes(text)))).toMatch(/^(invalid|bad)_request$/);
      else if (depth > 8) expect(codeOf(() => parseJson(bytes(text)))).toBe('invalid_request');
      else if (repeats) expect(codeOf(() => parseJson(bytes(text)))).toBe('bad_request');
      else expect(parseJson(bytes(text))).toEqual(JSON.parse(text));
    }),
    { numRuns: 2_000 },
  );
});

describe('a JSON body', () => {
  it('must be application/json in UTF-8', async () => {
    await expect(readJson(request('{}', 'text/plain'), { required: true })).rejects.toMatchObject({
      code: 'unsupported_media_type',
    });
    await expect(readJson(request('{}', 'application/json; charset=latin1'), { required: true })).rejects.toMatchObject(
      {
        code: 'unsupported_media_type',
      },
    );
    await expect(readJson(request('{}', 'Application/JSON; charset="UTF-8"'), { required: true })).resolves.toEqual({});
  });

  it('may be left out only where it is optional', async () => {
    await expect(readJson(request(''), { required: true })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(readJson(request(null), { required: false })).resolves.toBeUndefined();
  });

  it('has at most 64 KiB, told or not', async () => {
    const big = 'x'.repeat(MAX_BODY_BYTES + 1);
    await expect(readJson(request(big), { required: true })).rejects.toMatchObject({ code: 'payload_too_large' });
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(bytes('x'.repeat(16_384)));
      },
    });
    const endless = new Request('http://localhost/', { method: 'POST', body: stream, duplex: 'half' } as RequestInit);
    await expect(readJson(endless, { required: true })).rejects.toMatchObject({ code: 'payload_too_large' });
  });
});
