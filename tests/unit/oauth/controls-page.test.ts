import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { AREAS, type Control } from '@/lib/oauth/controls/control';

const PAGE = readFileSync('docs/oauth-controls.md', 'utf8');

const row = ({ id, title, severity, needs, source, oauch = '', switchable }: Control): string =>
  `| \`${id}\` | ${switchable ? 'S' : ''} | ${title} | ${severity} | ${needs.join(', ') || 'the issuer alone'} | ${source.join(', ')} | ${oauch} |`;

/** The rows of the page's table for an area: what follows its heading, without the table's head. */
function rowsOf(area: string): string[] {
  const [, section = ''] = PAGE.split(`\n### ${area}\n`);
  const [table = ''] = section.split('\n#');
  return table.split('\n').filter((line) => line.startsWith('| `'));
}

describe('docs/oauth-controls.md', () => {
  test.each(AREAS)('has the controls of the area %s as they are', (area) => {
    expect(rowsOf(area)).toEqual(CATALOGUE.filter((control) => control.area === area).map(row));
  });

  test('names no control that there is not', () => {
    const known = new Set(CATALOGUE.map(({ id }) => id));
    const [, tests = ''] = PAGE.split('\n## OAuch, test by test\n');
    const named = [...tests.matchAll(/`([a-z]+(?:-[a-z0-9]+)+)`/g)].map(([, id]) => id ?? '');
    expect(named.filter((id) => !known.has(id))).toEqual([]);
    expect(named.length).toBeGreaterThan(30);
  });

  test('says how many there are', () => {
    expect(PAGE).toContain(`${CATALOGUE.length} controls`);
  });
});
