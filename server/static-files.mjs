// @ts-check
// Serves `.next/static`. After a build, `node server/static-files.mjs` writes a `.br` and a `.gz` beside each text file.
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import sirv from 'sirv';
import { NOT_THERE, pathOf, refuse, UNKNOWN_METHOD } from './door.mjs';

/** @import { ServedRequest, ServedResponse } from './door.mjs' */

/** The names of the files below change with their content. */
const BASE = '/_next/static';
const METHODS = 'GET, HEAD';
const WRONG_METHOD = { ...UNKNOWN_METHOD, description: `This file supports ${METHODS}.`, headers: { Allow: METHODS } };

/** A coding that `Accept-Encoding` refuses (RFC 9110 section 12.5.3). */
const REFUSED = /;\s*q=0(\.0*)?\s*$/i;

/** @param {string} root */
const folderOf = (root) => join(root, '.next', 'static');

/**
 * @param {string} root
 * @returns {(req: ServedRequest, res: ServedResponse) => boolean} answers a request for a file of the build; false when
 *   the path is another one
 */
export function staticFiles(root) {
  const serve = sirv(folderOf(root), {
    brotli: true,
    gzip: true,
    etag: true,
    immutable: true,
    // A year, in seconds.
    maxAge: 31_536_000,
    extensions: [],
    onNoMatch: (_, res) => refuse(/** @type {ServedResponse} */ (res), NOT_THERE),
    setHeaders: (res) => res.setHeader('X-Content-Type-Options', 'nosniff'),
  });
  return (req, res) => {
    const { url, headers } = req;
    if (!url.startsWith(`${BASE}/`)) return false;
    if (req.method !== 'GET' && req.method !== 'HEAD') refuse(res, WRONG_METHOD);
    else {
      // sirv reads the path below its folder, takes `br;q=0` for br, throws on some ranges (which RFC 9110 section 14.2
      // lets a server ignore), and leaves the faults of a file's stream to the process.
      req.url = pathOf(url).slice(BASE.length);
      const codings = String(headers['accept-encoding'] ?? '').split(',');
      headers['accept-encoding'] = codings.filter((coding) => !REFUSED.test(coding)).join(',');
      headers.range = undefined;
      res.once('pipe', (file) => file.once('error', () => res.destroy()));
      serve(req, res);
      req.url = url;
    }
    return true;
  };
}

/** Compresses what is not yet. A folder that cannot be written to is served as it is. @param {string} root */
export async function compressStatic(root) {
  const folder = folderOf(root);
  if (!existsSync(folder)) return;
  const names = new Set(await readdir(folder, { recursive: true }));
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
  const missing = [...names].filter((name) => /\.(?:js|css|svg)$/.test(name) && !names.has(`${name}.br`));
  for (const name of missing) {
    const file = join(folder, name);
    const content = await readFile(file);
    try {
      await put(`${file}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }));
      await put(`${file}.br`, await promisify(brotliCompress)(content, brotli));
    } catch {
      return;
    }
  }
}

/** Writes a file that is there whole or not at all. @param {string} file @param {Buffer} content */
async function put(file, content) {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, content);
  await rename(draft, file);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await compressStatic(process.cwd());
