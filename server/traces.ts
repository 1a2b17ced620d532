// Leaves files out of the product and of the functions of a platform that do not run there. Next applies
// `outputFileTracingExcludes` to pages and routes only, not to `instrumentation.ts` and `proxy.ts`.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** Traces that Next leaves whole: the files that each of the two needs, relative to its folder. */
const WHOLE = ['instrumentation.js.nft.json', 'middleware.js.nft.json'];

interface Configuration {
  config: { outputFileTracingExcludes: Record<string, readonly string[]> };
}

/**
 * Applies the exclusions to the traces that Next leaves whole, and to the folder that it filled from them.
 * @param folder `.next/standalone`
 */
export function excludeFiles(root: string, folder: string): void {
  const built = join(root, '.next');
  const { config }: Configuration = JSON.parse(readFileSync(join(built, 'required-server-files.json'), 'utf8'));
  const patterns = Object.values(config.outputFileTracingExcludes).flat().map(parseGlob);
  const isExcluded = (path: string) => patterns.some((pattern) => pattern.test(path));
  for (const name of WHOLE) {
    const trace = join(built, 'server', name);
    const { files, ...rest } = JSON.parse(readFileSync(trace, 'utf8')) as { files: string[] };
    const included = files.filter((file) => !isExcluded(relative(root, resolve(dirname(trace), file))));
    writeFileSync(trace, JSON.stringify({ ...rest, files: included }));
  }
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    if (isExcluded(path)) rmSync(join(folder, path), { recursive: true, force: true });
}

/** Converts a glob with `*` and `**`, relative to the root, to a pattern. */
function parseGlob(glob: string): RegExp {
  const parts = glob.replace(/^\.\//, '').split(/(\*\*|\*)/);
  const source = parts.map((part) =>
    part === '**' ? '.*' : part === '*' ? '[^/]*' : part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'),
  );
  return new RegExp(`^${source.join('')}$`);
}
