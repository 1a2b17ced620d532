import fc from 'fast-check';
import { URLPattern } from 'urlpattern-polyfill';
import { describe, expect, it } from 'vitest';
import { decodeSegments } from '@/lib/http/path-escapes';
import { buildComparablePath, PathPattern } from '@/lib/http/path-pattern';
import { table } from '../../fixtures/table';

const matches = (pattern: string, path: string) =>
  new PathPattern(pattern).matches(buildComparablePath(decodeSegments(path)));

/** The polyfill's types leave the options out. */
const Standard = URLPattern as unknown as new (
  init: { pathname: string },
  options: { ignoreCase: boolean },
) => URLPattern;

describe('a pattern', () => {
  table('%s against %s: %s', matches, [
    ['/api/data', '/api/data', true],
    ['/api/data', '/api/dat', false],
    ['/api/data', '/api/data/', false],
    ['/API/Data', '/api/dATA', true],
    ['*', '/', true],
    ['*', '/any/thing', true],
    ['/api/*', '/api/', true],
    ['/api/*', '/api/a/b', true],
    ['/api/*', '/api', false],
    ['/api*', '/api', true],
    ['/api*', '/apis/x', true],
    ['/*.json', '/a/b.json', true],
    ['/*.json', '/a/b.json/c', false],
    ['/a/*/z', '/a/b/c/z', true],
    ['/a/*/z', '/a//z', true],
    ['/a/*/z', '/a/z', false],
    ['/*ab*abc', '/ababc', true],
    ['/*ab*abc', '/abc', false],
    ['/:id', '/7', true],
    ['/:id', '/', false],
    ['/:id', '/7/8', false],
    ['/:a:b', '/xy', true],
    ['/:a:b', '/x', false],
    ['/:a-:b/c', '/x-y-z/c', true],
    ['/:a-:b/c', '/x-/c', false],
    ['/v:major.:minor/*', '/v1.2/x', true],
    ['/*:last', '/a/', false],
    ['/*:last', '/a/b', true],
    ['/*/b:x/*', '/b1/b/b2/', true],
    ['/*/b:x/*', '/a/b/b', false],
    ['/:$x/:été', '/a/b', true],
  ]);

  it.each([
    ['/café', '/café'],
    ['/caf%C3%A9', '/café'],
    ['/caf%c3%a9', '/café'],
    ['/a b', '/a b'],
    ['/a%20b', '/a b'],
    ['/a|b', '/a|b'],
    ['/😀/*', '/😀/x'],
    ['/*é', '/aé'],
    ['/a/../b', '/b'],
    ['/../b', '/b'],
    ['/a/../:id', '/b'],
    ['/a/./*', '/a/b'],
    ['/a\tb', '/ab'],
    ['/:id\n-b', '/a-b'],
    ['/é/:id', '/é/ü'],
  ])('%s is %s in any encoding', (pattern, path) => {
    expect(matches(pattern, path)).toBe(true);
    expect(matches(pattern, encodeURIComponent(path).replaceAll('%2F', '/'))).toBe(true);
  });

  it('tells letters apart that are no ASCII', () => {
    expect(matches('/É', '/é')).toBe(false);
  });

  it.each([
    ['/api/reports(', 'must not have a group: `(` at character 13'],
    ['/api/(.*)', 'must not have a group: `(` at character 6'],
    ['/é😀(', 'must not have a group: `(` at character 4'],
    ['/{a}', 'must not have `{` at character 2'],
    ['/a}', 'must not have `}` at character 3'],
    ['/a?b', 'must not have `?` at character 3'],
    ['/:id+', 'must not have `+` at character 5'],
    ['/a\\:b', 'must not have `\\` at character 3'],
    ['/a:', 'must have a name after `:` at character 3'],
    ['/a:1', 'must have a name after `:` at character 3'],
    ['/:path*', 'must not have `*` right after a name or another `*`, at character 7'],
    ['/*\n*', 'must not have `*` right after a name or another `*`, at character 4'],
    ['/api/**', 'must not have `*` right after a name or another `*`, at character 7'],
  ])('%s %s', (pattern, message) => {
    expect(() => new PathPattern(pattern)).toThrow(message);
  });

  it('of every length keeps its places apart, over the ends of the words that hold them', () => {
    for (let length = 1; length <= 140; length += 1) {
      const text = 'ab'.repeat(length).slice(0, length);
      const pattern = new PathPattern(`/*${text}*${text}/:name/*`);
      expect(pattern.matches(`/${text}${text}/n/`)).toBe(true);
      expect(pattern.matches(`/x${text}/${text}${text}/n/x`)).toBe(true);
      expect(pattern.matches(`/${text}${text.slice(1)}/n/`)).toBe(false);
      expect(pattern.matches(`/${text}${text}//`)).toBe(false);
    }
  });

  it('matches what a URLPattern matches that ignores case', () => {
    const literal = fc.constantFrom(
      'a',
      'b',
      'A',
      'ab',
      '/',
      '/',
      '.',
      '..',
      '-',
      '_',
      '~',
      'é',
      'É',
      ' ',
      '%20',
      '%2e',
      '%z',
      '|',
      '^',
      '"',
      '<',
      '😀',
      ')',
      '1',
    );
    const piece = fc.oneof(
      { weight: 4, arbitrary: literal },
      { weight: 1, arbitrary: fc.constant('*') },
      { weight: 1, arbitrary: fc.constant(':') },
    );
    // Few places that vary: the time that the other implementation takes doubles with each of them.
    const patterns = fc
      .array(
        piece.filter((text) => !/[.]|%2e/.test(text)),
        { maxLength: 12 },
      )
      .map((pieces) => {
        let text = '/';
        let variables = 0;
        for (const part of pieces) {
          const variable = part === '*' || part === ':';
          // Two variables in a row share the characters of an escape in a URLPattern; here an escape is one character.
          if (variable && (variables === 4 || /(?:[*]|:n\d)$/.test(text))) continue;
          if (variable) variables += 1;
          const inName = /:n\d$/.test(text) && /^[\w\u00c0-\uffff]/.test(part);
          text += part === ':' ? `:n${variables}` : inName ? `-${part}` : part;
        }
        return text;
      });
    const path = fc
      .array(literal, { maxLength: 14 })
      .map((pieces) =>
        new URL(`https://sluice.example/${pieces.join('').replace(/\/{2,}|^\//g, '/')}`).pathname.replace(
          /\/{2,}/g,
          '/',
        ),
      );
    let matched = 0;
    let runs = 0;
    fc.assert(
      fc.property(patterns, path, (pattern, sent) => {
        const expected = new Standard({ pathname: pattern }, { ignoreCase: true }).test({ pathname: sent });
        runs += 1;
        if (expected) matched += 1;
        expect(matches(pattern, sent), `${pattern} against ${sent}`).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
    // Five of a hundred in 2,000 runs; a mutation run makes 200.
    expect(matched).toBeGreaterThan(runs / 50);
  });
});

describe('matching', () => {
  /** A path that counts how many of its characters are looked at. */
  class Counted extends String {
    looks = 0;
    override charCodeAt(index: number): number {
      this.looks += 1;
      return super.charCodeAt(index);
    }
  }

  it.each([
    ['/*a*a*a*a*a*a*a*a*a*x'],
    [`/${'*a'.repeat(500)}x*`],
    [`/*${'a'.repeat(1_000)}b*`],
    [`/${':n-'.repeat(250)}x*`],
    [`/*${'a:n'.repeat(300)}/b`],
  ])('looks at each character of a path once: %.40s', (pattern) => {
    const compiled = new PathPattern(pattern);
    for (const length of [1_000, 8_192, 65_536]) {
      const path = new Counted(`/${'a'.repeat(length - 1)}`);
      compiled.matches(path as unknown as string);
      expect(path.looks).toBeLessThanOrEqual(length);
    }
  });
});
