import { describe, expect, it } from 'vitest';
import { withQuery } from '@/components/api-client';
import { toCsv, toJsonLines } from '@/components/list/export-text';
import { matchRows } from '@/components/list/match-rows';

interface Row {
  name: string;
  user: string | null;
  tier: string;
}

const ROWS: Row[] = [
  { name: 'billing, nightly', user: 'ada', tier: 'free' },
  { name: 'Billing export', user: null, tier: 'starter' },
  { name: 'crawler', user: 'Bob', tier: 'free' },
];
const READ = { text: (row: Row) => [row.name, row.user], facet: (row: Row) => row.tier };
const match = (search: string, tiers: string[] = []) =>
  matchRows(ROWS, { search, facets: { tier: tiers } }, READ).map((row) => row.name);

describe('filtering a list', () => {
  it.each([
    ['', ['billing, nightly', 'Billing export', 'crawler']],
    ['   ', ['billing, nightly', 'Billing export', 'crawler']],
    ['BILLING', ['billing, nightly', 'Billing export']],
    ['  export   billing ', ['Billing export']],
    ['bill ada', ['billing, nightly']],
    ['null', []],
    ['.*', []],
  ])('%j: every word in one of the texts, in any letter case and order', (search, names) => {
    expect(match(search)).toEqual(names);
  });

  it('a word is not found across two texts', () => {
    expect(match('nightlyada')).toEqual([]);
  });

  it('one of the chosen values, and the words too', () => {
    expect(match('', ['free'])).toEqual(['billing, nightly', 'crawler']);
    expect(match('', ['free', 'starter'])).toHaveLength(3);
    expect(match('billing', ['free'])).toEqual(['billing, nightly']);
    expect(match('', ['enterprise'])).toEqual([]);
  });

  it('leaves the rows in their order, and the list as it was', () => {
    const rows = Object.freeze([...ROWS]);
    expect(matchRows(rows, { search: '', facets: { tier: [] } }, READ)).toEqual(ROWS);
  });
});

describe('an export', () => {
  const columns = [
    { name: 'name', value: (row: Row) => row.name },
    { name: 'user', value: (row: Row) => row.user },
  ];

  it('as CSV has a heading, CRLF, and quotes where they are needed', () => {
    expect(toCsv(ROWS, columns)).toBe('name,user\r\n"billing, nightly",ada\r\nBilling export,\r\ncrawler,Bob\r\n');
    expect(toCsv([], columns)).toBe('name,user\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@x', '\t=1', '＝1'])('as CSV never holds a formula: %j', (name) => {
    const text = toCsv([{ name, user: null, tier: 'free' }], columns);
    expect(text).toContain(`'${name}`);
  });

  it('as JSON lines is one object a line', () => {
    expect(toJsonLines([{ a: 1 }, { a: 'x\ny' }])).toBe('{"a":1}\n{"a":"x\\ny"}\n');
    expect(toJsonLines([])).toBe('');
  });
});

describe('the query of a call', () => {
  it('leaves out what has no value, and keeps what is 0 or false', () => {
    expect(withQuery('/v1/x', { a: null, b: undefined, c: '', d: 0, e: false })).toBe('/v1/x?d=0&e=false');
    expect(withQuery('/v1/x', {})).toBe('/v1/x');
    expect(withQuery('/v1/x', undefined)).toBe('/v1/x');
  });

  it('repeats a list, escapes its values and goes on from a query that is there', () => {
    expect(withQuery('/v1/x?limit=5', { q: 'a&b c', tag: ['x', 'y'] })).toBe('/v1/x?limit=5&q=a%26b+c&tag=x&tag=y');
  });
});
