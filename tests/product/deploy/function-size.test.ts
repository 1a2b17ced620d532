import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const MEBIBYTE = 2 ** 20;
const LARGEST = 40 * MEBIBYTE;
const SERVER = join('.next', 'server');

interface Trace {
  files: string[];
}

/** The files that a trace of Next names, from the root of the repository. */
const filesOf = (trace: string): string[] =>
  (JSON.parse(readFileSync(trace, 'utf8')) as Trace).files.map((file) => relative('.', resolve(dirname(trace), file)));

/** The traces of pages and routes. */
const TRACES = readdirSync(join(SERVER, 'app'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.js.nft.json'))
  .map((path) => join(SERVER, 'app', path));

/** What every function of a platform has: the small server of Next, the start of the process, and the manifests. */
const COMMON = [
  ...filesOf(join('.next', 'next-minimal-server.js.nft.json')),
  ...filesOf(join(SERVER, 'instrumentation.js.nft.json')),
  ...(JSON.parse(readFileSync(join('.next', 'required-server-files.json'), 'utf8')) as Trace).files,
];

/** The functions as a platform may cut them: one for a route, or one for all routes, all pages, or everything. */
const FUNCTIONS: [name: string, traces: string[]][] = [
  ...TRACES.map((trace): [string, string[]] => [relative(join(SERVER, 'app'), trace), [trace]]),
  ['all routes', TRACES.filter((trace) => trace.endsWith('route.js.nft.json'))],
  ['all pages', TRACES.filter((trace) => trace.endsWith('page.js.nft.json'))],
  ['everything', TRACES],
  ['the proxy', [join(SERVER, 'middleware.js.nft.json')]],
];

const contentsOf = (traces: readonly string[]) => [
  ...new Set([...COMMON, ...traces.flatMap((trace) => [trace.replace('.nft.json', ''), ...filesOf(trace)])]),
];
const sizeOf = (file: string) => {
  const found = statSync(file, { throwIfNoEntry: false });
  return found?.isFile() ? found.size : 0;
};

describe('a function of a platform', () => {
  it.each(FUNCTIONS)('of %s is small enough', (_, traces) => {
    const files = contentsOf(traces);
    const sizes = files.map((file) => ({ file, size: sizeOf(file) })).sort((one, other) => other.size - one.size);
    const total = sizes.reduce((sum, { size }) => sum + size, 0);
    expect(total, JSON.stringify(sizes.slice(0, 10))).toBeLessThanOrEqual(LARGEST);
    expect(total).toBeGreaterThan(MEBIBYTE);
  });

  it.each(FUNCTIONS)('of %s has nothing that does not run there', (_, traces) => {
    const files = contentsOf(traces);
    const natives = files.filter((file) => file.endsWith('.node')).map((file) => file.split('/').slice(1, 3).join('/'));
    // The driver of the database, and the hash of passwords.
    expect(new Set(natives).size).toBeLessThanOrEqual(2);
    expect(files.filter((file) => /\.map$|drizzle\/meta\/(?!_journal)/.test(file))).toEqual([]);
  });

  it('has the migrations, the recipes of the gateways and the drivers', () => {
    const files = contentsOf(TRACES);
    for (const path of ['drizzle/meta/_journal.json', 'docs/gateways/nginx.conf']) expect(files).toContain(path);
    const migrations = readdirSync('drizzle').filter((name) => name.endsWith('.sql'));
    expect(files.filter((file) => file.startsWith('drizzle/') && file.endsWith('.sql'))).toHaveLength(
      migrations.length,
    );
    expect(files.some((file) => /@libsql\/.*\.node$/.test(file))).toBe(true);
  });
});
