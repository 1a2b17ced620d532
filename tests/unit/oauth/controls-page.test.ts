import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { AREAS, type Control } from '@/lib/oauth/controls/control';
import { WEAKNESSES } from '@/tests/long/oauth/planted/weaknesses';

const FILE = 'docs/oauth-controls.md';
const PAGE = readFileSync(FILE, 'utf8');

const row = ({ id, title, severity, needs, source, oauch = '', switchable }: Control): string =>
  `| \`${id}\` | ${switchable ? 'S' : ''} | ${title} | ${severity} | ${needs.join(', ') || 'the issuer alone'} | ${source.join(', ')} | ${oauch} |`;

/** What a control tries; tries of one finding share it. */
function triesOf({ id, tries }: Control): string {
  const labelsOf = (finding: string) => Object.keys(tries).filter((label) => tries[label] === finding);
  const named = [...new Set(Object.values(tries))].map((finding) => `${labelsOf(finding).join(', ')} (${finding})`);
  return `| \`${id}\` | ${named.join('; ')} |`;
}

/** The planted weaknesses by the control that finds them. Of several controls the first is about the weakness. */
function plantedRows(): string[] {
  const controls = new Set(WEAKNESSES.map(({ found: [first] }) => first));
  return [...controls].map((control) => {
    const weaknesses = WEAKNESSES.filter(({ found: [first] }) => first === control).map(({ weakness }) => weakness);
    return `| \`${control}\` | ${weaknesses.join('; ')} |`;
  });
}

/** The rows of the page's table below a heading: what follows it, without the table's head. */
function rowsOf(heading: string): string[] {
  const [, section = ''] = PAGE.split(`\n${heading}\n`);
  const [table = ''] = section.split('\n#');
  return table.split('\n').filter((line) => line.startsWith('| `'));
}

/** The page with other rows below a heading. */
function withRows(page: string, heading: string, rows: readonly string[]): string {
  const old = rowsOf(heading).join('\n');
  return page.replace(`${old}\n`, () => `${rows.join('\n')}\n`);
}

const ofArea = (area: string) => CATALOGUE.filter((control) => control.area === area);

describe('docs/oauth-controls.md', () => {
  test('has the controls as they are; `vitest run --update` of this file writes it', async () => {
    let page = PAGE.replace(/\d+ controls\b/, `${CATALOGUE.length} controls`);
    for (const area of AREAS) page = withRows(page, `### ${area}`, ofArea(area).map(row));
    page = withRows(page, '## What is tried', CATALOGUE.map(triesOf));
    page = withRows(page, '## Planted weaknesses', plantedRows());
    await expect(page).toMatchFileSnapshot(`../../../${FILE}`);
    for (const area of AREAS) expect(rowsOf(`### ${area}`).length, area).toBeGreaterThan(0);
  });

  test('names no control that there is not', () => {
    const known = new Set(CATALOGUE.map(({ id }) => id));
    const [, tests = ''] = PAGE.split('\n## OAuch, test by test\n');
    const named = [...tests.matchAll(/`([a-z]+(?:-[a-z0-9]+)+)`/g)].map(([, id]) => id ?? '');
    expect(named.filter((id) => !known.has(id))).toEqual([]);
    expect(named.length).toBeGreaterThan(30);
  });
});

const FINDING =
  /^(CVE-\d{4}-\d{4,}|GHSA(-[\da-z]{4}){3}|[\w-]+\/[\w.-]+#\d+|RFC \d+ [\dA-Z][\d.]*|MCP Authorization|OpenID Connect (Core|RP-Initiated Logout) [\d.]+|OAuth 2\.0 Form Post Response Mode 2)$/;

test('each try of a control stems from an advisory or a section', () => {
  for (const { id, tries } of CATALOGUE) {
    expect(Object.keys(tries).length, id).toBeGreaterThan(0);
    const findings = Object.values(tries).flatMap((finding) => finding.split(', '));
    expect([id, findings.filter((finding) => !FINDING.test(finding))]).toEqual([id, []]);
  }
});
