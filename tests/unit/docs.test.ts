import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SWITCHES } from '@/lib/contract/lab-switches';
import { DEFAULT_POLICIES, type Limit } from '@/lib/contract/policies';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';

const PAGES = [
  ...['README.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md'],
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join('docs', path)),
];
const read = (page: string) => readFileSync(page, 'utf8');

/** The anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

/** What a page links to in this repository, from its root. */
function linksOf(page: string): { path: string; anchor?: string }[] {
  const prose = read(page).replace(/^```[\s\S]*?^```/gm, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
    if (/^(https?|mailto):/.test(target)) return [];
    const [path = '', anchor] = target.split('#');
    return [{ path: path === '' ? page : relative('.', join(dirname(page), path)), anchor }];
  });
}

describe('the documentation', () => {
  test.each(PAGES)('%s links to what there is', (page) => {
    const dead = linksOf(page).filter(
      ({ path, anchor }) => !existsSync(path) || (anchor !== undefined && !anchorsOf(path).includes(anchor)),
    );
    expect(dead).toEqual([]);
  });

  test('can be reached from the README', () => {
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const { path } of linksOf(page)) {
        if (PAGES.includes(path)) reached.add(path);
        // A link to a folder leads to the pages that are listed there.
        else for (const listed of PAGES) if (dirname(listed) === path.replace(/\/$/, '')) reached.add(listed);
      }
    }
    expect(PAGES.filter((page) => !reached.has(page))).toEqual([]);
  });

  test('counts the controls on one page only, and its switches as they are', () => {
    const now = PAGES.filter((page) => page !== 'CHANGELOG.md').map((page) => ({ page, text: read(page) }));
    const counts = now.flatMap(({ page, text }) =>
      [...text.matchAll(/\b(\d+) (controls|switches)\b/g)].map(([, count, what]) => ({ page, count, what })),
    );
    expect(counts.filter(({ what }) => what === 'controls')).toEqual([
      { page: 'docs/oauth-controls.md', count: String(CATALOGUE.length), what: 'controls' },
    ]);
    expect(counts.filter(({ what, count }) => what === 'switches' && count !== String(SWITCHES.length))).toEqual([]);
  });

  test('has the default limits as they are', () => {
    const limit = ({ limit, window_seconds }: Limit) =>
      `${limit.toLocaleString('en')} in ${window_seconds.toLocaleString('en')} s`;
    const failures = { closed: '503', local: 'half the limit, per process' };
    const rows = read('docs/limits.md')
      .split('\n')
      .map((line) => line.split(' | '));
    for (const name of ENDPOINT_CLASSES) {
      const { ip, user, on_store_failure } = DEFAULT_POLICIES.classes[name];
      const cells = rows.find(([first]) => first === `| \`${name}\``)?.slice(2);
      expect(cells).toEqual([limit(ip), limit(user), `${failures[on_store_failure]} |`]);
    }
  });
});

test('no pipeline asks the registry for a `sluice`, which anybody could publish there', () => {
  const files = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((path) => /\.ya?ml$/.test(path));
  const jobs = PAGES.flatMap((page) => [...read(page).matchAll(/^```ya?ml\n[\s\S]*?^```/gm)].map(([job]) => job));
  const all = [...jobs, ...files.map((path) => read(join('docs', path)))];
  expect(all.length).toBeGreaterThan(files.length);
  expect(all.filter((text) => /\bnpx\b/.test(text))).toEqual([]);
});

describe('a page for operators', () => {
  const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts;

  test.each(PAGES)('%s names scripts that there are', (page) => {
    const named = [...read(page).matchAll(/\bnpm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  /** The sources, with what a template puts in as an ellipsis: as the pages quote it. */
  const sources = ['lib', 'server']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path)))
    .filter((path) => /\.(ts|mjs)$/.test(path))
    .map((path) => read(path).replaceAll(/\$\{[^`]*?\}/g, '…'))
    .join('\n');
  /** What a sentence says whatever stands for its ellipses. */
  const parts = (sentence: string) =>
    sentence.split(/…|[.] /).map((part) => part.replaceAll(/^[.,:?]|[.,:]$/g, '').trim());

  test.each([
    ['docs/troubleshooting.md', /^\| `([^|`]+)`.*? \|/gm],
    ['docs/troubleshooting.md', /^\| [^`|][^|]* \| `([^|`]+)`/gm],
    ['docs/lost-password.md', /^\| `([^|`]+)` \|/gm],
  ] as const)('%s quotes what the program says', (page, row) => {
    const quoted = [...read(page).matchAll(row)].map(([, sentence = '']) => sentence);
    expect(quoted.length).toBeGreaterThanOrEqual(6);
    expect(quoted.filter((sentence) => !parts(sentence).every((part) => sources.includes(part)))).toEqual([]);
  });
});

describe('the glossary', () => {
  const rows = read('docs/glossary.md')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| term'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  test('has each term once', () => {
    const terms = rows.map(([, term]) => term);
    expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
  });

  test('says where each lives', () => {
    const places = rows.map(([, , , where = '']) => where.replaceAll('`', '').replace(/<.*/, ''));
    expect(places.filter((place) => place === '' || !existsSync(place))).toEqual([]);
  });
});
