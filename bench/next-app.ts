import { execFile } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Next's program. */
export const NEXT = resolve('node_modules/next/dist/bin/next');

/** An application with one route, which reads a check and answers it without a decision. */
const ROUTE: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ private: true, type: 'module' }),
  // The linked packages are outside the application.
  'next.config.mjs': "export default { turbopack: { root: '/' } };",
  'app/check/route.js': `
    export async function POST(request) {
      const { class: asked } = await request.json();
      return Response.json({ allowed: true, class: asked, limit: 100, remaining: 99, reset: 0 });
    }`,
};

const NO_OP_PROXY = `
  import { NextResponse } from 'next/server';
  export const proxy = () => NextResponse.next();`;

/** Path of the route of `buildBareApp`. */
export const BARE_PATH = '/check';

/** Builds the application in a folder. @param isProxied adds a `proxy.ts` that does nothing */
export async function buildBareApp(folder: string, isProxied: boolean): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const root = realpathSync(folder);
  const files = isProxied ? { ...ROUTE, 'proxy.js': NO_OP_PROXY } : ROUTE;
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  mkdirSync(join(root, 'node_modules'));
  for (const name of ['next', 'react', 'react-dom'])
    symlinkSync(resolve('node_modules', name), join(root, 'node_modules', name));
  const env = { ...process.env, NEXT_TELEMETRY_DISABLED: '1' };
  await promisify(execFile)(process.execPath, [NEXT, 'build'], { cwd: root, env });
  return root;
}
