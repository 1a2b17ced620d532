// Names a set of sources by a hash. Files built from the sources record it, so a change is detected.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Hashes files, and all files in folders, to hexadecimal digits. Hidden files do not count. Missing files are skipped,
 * because a package has no lock file.
 * @param paths relative to the root
 */
export function hashSources(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256');
  const files = paths
    .map((path) => join(root, path))
    .filter((path) => existsSync(path))
    .flatMap((path) => (statSync(path).isFile() ? [path] : listFiles(path)));
  for (const file of files.sort()) {
    const content = readFileSync(file);
    hash.update(`${relative(root, file)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex');
}

const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name));
