// Serves `.next/static`, compressed if compress-static.ts has run.
import { join } from 'node:path';
import sirv from 'sirv';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import { UNKNOWN_METHOD } from '@/lib/http/request-fault';
import { NOT_THERE, type NodeRequest, type NodeResponse, refuse } from '@/server/validation';

/** Path of the files. Their names change with their content. */
const BASE = '/_next/static';
const METHODS = 'GET, HEAD';
const WRONG_METHOD = { ...UNKNOWN_METHOD, description: `This file supports ${METHODS}.`, headers: { Allow: METHODS } };

/** Matches a coding that `Accept-Encoding` refuses (RFC 9110 section 12.5.3). */
const REFUSED = /;\s*q=0(\.0*)?\s*$/i;

/**
 * Serves the files of the build.
 * @param directory directory of the product
 * @returns a function that answers a request for a file of the build, and returns false for any other path
 */
export function createStaticHandler(directory: string): (req: NodeRequest, res: NodeResponse) => boolean {
  const serve = sirv(join(directory, '.next', 'static'), {
    brotli: true,
    gzip: true,
    immutable: true,
    // One year, in seconds.
    maxAge: 31_536_000,
    extensions: [],
    onNoMatch: (_, res) => refuse(res as NodeResponse, NOT_THERE),
    setHeaders: (res) => res.setHeader('X-Content-Type-Options', 'nosniff'),
  });
  return (req, res) => {
    const { url, headers } = req;
    if (!url.startsWith(`${BASE}/`)) return false;
    if (req.method !== 'GET' && req.method !== 'HEAD') refuse(res, WRONG_METHOD);
    else {
      // sirv expects the path relative to its folder, and treats `br;q=0` as br. It throws on some ranges, which a
      // server may ignore (RFC 9110 section 14.2). It does not handle errors of a file's stream.
      req.url = parsePath(url).slice(BASE.length);
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
