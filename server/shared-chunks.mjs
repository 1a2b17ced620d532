// @ts-check
// Keeps one of each chunk of a build. Next writes most of its server once for each route: the same text, under another
// name and with another source map.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const SOURCE_MAP = /\n\/\/# sourceMappingURL=[^\n]*\s*$/;

/**
 * Replaces each chunk that repeats an earlier one by a line that requires that one, so that Node reads and compiles it once.
 * Chunks are lists of modules without a state of their own.
 * @param {string} folder of the chunks
 */
export function shareChunks(folder) {
  /** @type {Map<string, string>} */
  const files = new Map();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!name.endsWith('.js')) continue;
    const file = join(folder, name);
    const text = readFileSync(file, 'utf8').replace(SOURCE_MAP, '\n');
    if (!text.startsWith('module.exports=[')) continue;
    const first = files.get(text);
    if (first === undefined) files.set(text, file);
    writeFileSync(file, first === undefined ? text : `module.exports=require(${relativeTo(file, first)});\n`);
  }
}

/** The path of a file as another one names it, as a literal. @param {string} from @param {string} to */
function relativeTo(from, to) {
  const path = relative(dirname(from), to).replaceAll('\\', '/');
  return JSON.stringify(path.startsWith('.') ? path : `./${path}`);
}
