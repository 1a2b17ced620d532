import { readdirSync, readFileSync } from 'node:fs';
import { parse } from '@babel/parser';
import { describe, expect, it } from 'vitest';
import removeDescriptions from '../../../server/contract-loader.cjs';

describe('contracts for browsers', () => {
  it('say nothing of themselves', () => {
    expect(removeDescriptions("z.int().min(1).describe('Seconds.').meta({ example: '60' }).optional();")).toBe(
      'z.int().min(1).optional();',
    );
    expect(
      removeDescriptions(
        "get('listKeys', { summary: 'List keys', description: 'All of them.', query: a.describe('b') });",
      ),
    ).toBe("get('listKeys', { summary: '', description: '', query: a });");
  });

  it('keep what is told of something else', () => {
    const source = 'object({ summary: z.string(), description: z.string(), example: z.string() });';
    expect(removeDescriptions(source)).toBe(source);
  });

  it('lose an example as a whole, whatever stands in it', () => {
    expect(removeDescriptions("get({ summary: 'A', example: { body: { summary: 'B', description: 'C' } } });")).toBe(
      "get({ summary: '', example: '' });",
    );
  });

  it('say where they cannot be read', () => {
    expect(() => removeDescriptions('const = 1;')).toThrow('(1:6)');
  });

  it('remain sources, all of them', () => {
    const names = readdirSync('lib/contract', { recursive: true, encoding: 'utf8' });
    const files = names.filter((name) => name.endsWith('.ts')).map((name) => `lib/contract/${name}`);
    expect(files.length).toBeGreaterThan(40);
    for (const file of files) {
      const text = removeDescriptions(readFileSync(file, 'utf8'));
      parse(text, { sourceType: 'module', plugins: ['typescript'] });
      expect(text).not.toMatch(/\.(?:describe|meta)\(/);
    }
  });
});
