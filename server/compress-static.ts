// Compresses the files of static-files.ts once, at the highest level.
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Writes a `.br` and a `.gz` for each text file that has none. */
export async function compressStatic(folder: string): Promise<void> {
  const names = new Set(await readdir(folder, { recursive: true }));
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  const missing = [...names].filter((name) => /\.(?:js|css|svg)$/.test(name) && !names.has(`${name}.br`));
  for (const name of missing) {
    const file = join(folder, name);
    const content = await readFile(file);
    await writeAtomically(`${file}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }));
    await writeAtomically(`${file}.br`, await promisify(brotliCompress)(content, brotli));
  }
}

async function writeAtomically(file: string, content: Buffer): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content);
  await rename(draft, file);
}
