import { readdirSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import removeDescriptions from '../../../server/contract-loader.mjs';

const load = (source: string, resourcePath = 'lib/contract/keys.ts') =>
  removeDescriptions.call({ resourcePath }, source);

describe('contracts for browsers', () => {
  it('say nothing of themselves', () => {
    expect(load("z.int().min(1).describe('Seconds.').meta({ example: '60' }).optional();")).toBe(
      'z.int().min(1).optional();',
    );
    expect(
      load("get('listKeys', { summary: 'List keys', description: 'All of them.', query: a.describe('b') });"),
    ).toBe("get('listKeys', { summary: '', description: '', query: a });");
  });

  it('keep what is told of something else', () => {
    const source = 'object({ summary: z.string(), description: z.string(), example: z.string() });';
    expect(load(source)).toBe(source);
  });

  it('lose an example as a whole, whatever stands in it', () => {
    expect(load("get({ summary: 'A', example: { body: { summary: 'B', description: 'C' } } });")).toBe(
      "get({ summary: '', example: '' });",
    );
  });

  it('say where they cannot be read', () => {
    expect(() => load('const = 1;')).toThrow(/^lib\/contract\/keys\.ts: /);
  });

  it('remain sources, all of them', () => {
    const names = readdirSync('lib/contract', { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => name.endsWith('.ts')).map((name) => `lib/contract/${name}`);
    expect(files.length).toBeGreaterThan(40);
    for (const file of files) {
      const text = load(readFileSync(file, 'utf8'), file);
      expect(parseSync(file, text).errors).toEqual([]);
      expect(text).not.toMatch(/\.(?:describe|meta)\(/);
    }
  });
});
