// Files of the build, compressed with Brotli as well as it can: once, because their names change with their content.
// After `next build`, `node server/static-files.mjs` writes a `.br` beside each; a server without them makes them as it starts.
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';

const BASE = '/_next/static/';
const TYPES = { '.js': 'application/javascript; charset=UTF-8', '.css': 'text/css; charset=UTF-8' };
const compress = promisify(brotliCompress);

/** URL to file, of everything that is there in compressed form. */
const ready = new Map();

/** URLs of all files of the build; null until they are known. */
let known = null;

/**
 * Makes what is missing below `.next/static` and gets ready to answer with all of it. One file at a time, so that a
 * server that starts has a core left; a folder that cannot be written to is no fault, Next compresses then.
 */
export async function prepareStatic(root) {
  const folder = join(root, '.next', 'static');
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const present = new Set(names);
  known = new Set(names.map((name) => BASE + name.replaceAll('\\', '/')));
  const missing = [];
  for (const name of names) {
    if (!(extname(name) in TYPES)) continue;
    if (present.has(`${name}.br`)) await offer(folder, name);
    else missing.push(name);
  }
  for (const name of missing) {
    const content = await readFile(join(folder, name));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    try {
      await writeFile(join(folder, `${name}.br`), await compress(content, { params }));
    } catch {
      return;
    }
    await offer(folder, name);
  }
}

async function offer(folder, name) {
  const file = join(folder, `${name}.br`);
  const { size } = await stat(file);
  ready.set(BASE + name.replaceAll('\\', '/'), { file, size, type: TYPES[extname(name)] });
}

/** Answers a request for a file that is ready, to a client that reads Brotli; says whether it did. */
export function answerStatic(req, res) {
  if (!req.url.startsWith(BASE) || (req.method !== 'GET' && req.method !== 'HEAD')) return false;
  const found = ready.get(req.url.split('?', 1)[0]);
  if (found === undefined || !acceptsBrotli(req.headers['accept-encoding'])) return false;
  res.writeHead(200, {
    'Content-Type': found.type,
    'Content-Length': found.size,
    'Content-Encoding': 'br',
    'Cache-Control': 'public, max-age=31536000, immutable',
    'X-Content-Type-Options': 'nosniff',
    Vary: 'Accept-Encoding',
  });
  if (req.method === 'HEAD') res.end();
  else
    createReadStream(found.file)
      .once('error', () => res.destroy())
      .pipe(res);
  return true;
}

/** Whether a request is for a file of the build that there is not; the target is valid. */
export function isMissing({ url }) {
  return known !== null && url.startsWith(BASE) && !known.has(decodeURIComponent(url.split('?', 1)[0]));
}

/** RFC 9110 section 12.5.3, as far as one coding goes. */
function acceptsBrotli(header) {
  return (header ?? '').split(',').some((one) => /^\s*br\s*(;|$)/i.test(one) && !/;\s*q=0(\.0*)?\s*$/i.test(one));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await prepareStatic(process.cwd());
