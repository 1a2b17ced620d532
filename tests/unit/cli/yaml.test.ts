import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { type DocumentOptions, parse, type SchemaOptions } from 'yaml';
import { parseDocument } from '@/cli/assess/configuration';
import { Failure } from '@/cli/failure';
import { readYaml, writeYaml } from '@/cli/yaml';
import { runs } from '@/tests/fixtures/runs';

const READERS: [name: string, options: DocumentOptions & SchemaOptions][] = [
  ['1.2', { version: '1.2' }],
  ['1.2, failsafe schema', { version: '1.2', schema: 'failsafe' }],
  ['1.1', { version: '1.1' }],
  ['1.1, merge keys', { version: '1.1', merge: true }],
];

const words = ['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null', 'nan', 'inf'];
const spellings = words.flatMap((word) => [word, word.toUpperCase(), (word[0] ?? '').toUpperCase() + word.slice(1)]);
const MISREAD = [
  ...spellings,
  ...['', '~', '<<', '=', '-', '?', ':', '.', '-.', '!x', '&x', '*x', '%x', '@x', '`x', '|', '>', '#', '---', '...'],
  ...['0', '007', '0o17', '-0o17', '0b11', '-0b11', '0x1f', '0x_1', '1_000', '1,000', '1,000.5', '1.', '.5', '1_0.5'],
  ...['1e3', '1E-3', '1.5e+3', '.inf', '-.INF', '.NaN', '1:30', '190:20:30', '-1:30.5', '1:2:3:4:5:6:7:8', '08', '0_8'],
  ...['2026-12-01', '2026-1-1', '2026-12-01T18:00:00Z', '2026-12-01 18:00:00 +1', '2026-12-01t18:00:00.5-02:00'],
  ...[
    'a\u0085b',
    'a\u2028b',
    'a\u2029b',
    '\ufeffx',
    'a\u0080',
    'a\tb',
    'a\nb\n',
    ' a ',
    'a: b',
    'a #b',
    ':symbol',
    '::1',
  ],
];

function expectSame(text: string): void {
  const value = { [text]: [text, { of: text }], list: [[text]] };
  const written = writeYaml(value);
  for (const [name, options] of READERS) expect(parse(written, options), `${name}: ${written}`).toEqual(value);
}

describe('YAML as it is written', () => {
  test.each(MISREAD)('%j is the same text to every reader', (text) => expectSame(text));

  it('says the same to readers of 1.1 and 1.2, whatever a text is', () => {
    const numeric = fc.string({ unit: fc.constantFrom(...'0123456789_,.:+-eExXoObBT Z') });
    const any = fc.oneof(numeric, fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom(...MISREAD));
    fc.assert(fc.property(any, expectSame), runs(1_000));
  });

  test.each(['=', '1,000', ':symbol', '-0o17', '1_000', '2026-12-01', 'no', '<<'])('%s stands in quotes', (text) => {
    expect(writeYaml({ a: text })).toBe(`a: "${text}"\n`);
  });

  test.each(['alice', '2001:db8::/48', '203.0.113.7', '/api/:id', 'team/alice@example.com'])('%s does not', (text) => {
    expect(writeYaml({ a: text })).toBe(`a: ${text}\n`);
  });
});

const aliases = (of: (before: string) => string) =>
  Array.from({ length: 30 }, (_, i) => `a${i}: &a${i} ${i === 0 ? '[x]' : of(`*a${i - 1}`)}`).join('\n');
const MiB10 = 10 * 2 ** 20;

describe('hostile YAML is refused by one sentence', () => {
  test.each([
    ['aliases in lists', aliases((before) => `[${Array(9).fill(before).join(',')}]`), /aliases stand for far more/],
    ['aliases in mappings', aliases((before) => `{a: ${before}, b: ${before}}`), /aliases stand for far more/],
    ['an alias of itself', 'a: &a [*a]', /a part of itself/],
    ['open lists', '['.repeat(MiB10), /nested more than 100 deep/],
    ['closed lists', '['.repeat(MiB10 / 2) + ']'.repeat(MiB10 / 2), /nested more than 100 deep/],
    ['open mappings', '{a: '.repeat(MiB10 / 4), /nested more than 100 deep/],
    ['lists of one line', '- '.repeat(MiB10 / 2), /nested more than 100 deep/],
    ['keys that are mappings', '? '.repeat(MiB10 / 2), /nested more than 100 deep/],
    ['indented mappings', Array.from({ length: 4_500 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'), /nested more than/],
  ])('%s', (_, text, message) => {
    for (const read of [() => readYaml(text, 'It'), () => parseDocument(text)]) {
      expect(read).toThrow(Failure);
      expect(read).toThrow(message);
      expect(read).toThrow(/^.{20,200}$/);
    }
  });

  it('takes aliases and depth that a document may have', () => {
    expect(readYaml('a: &a {x: 1}\nb: [*a, *a]', 'It').value).toEqual({ a: { x: 1 }, b: [{ x: 1 }, { x: 1 }] });
    expect(readYaml(`${'['.repeat(90)}${']'.repeat(90)}`, 'It').value).toBeInstanceOf(Array);
  });
});
