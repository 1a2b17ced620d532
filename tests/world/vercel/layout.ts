import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';

/** Path of `.vercel/output` that `vercel build` made of these sources, if the caller has the command line tool. */
const GIVEN = process.env.SLUICE_TEST_VERCEL_OUTPUT;

/** What makes the functions of these tests. The command line tool is too large to be a dependency. */
export const MADE_BY = GIVEN === undefined ? 'next build' : 'vercel build';

/**
 * Returns the output of `vercel build` if there is one. Otherwise the output of `next build` is laid out in the same way:
 * middleware, pages and API are three functions, and each runs Next as the launchers of the tool do. The caller removes
 * the folder.
 */
export function findBuildOutput(): string {
  return GIVEN === undefined ? layOut(resolve('.next/standalone')) : collect(resolve(GIVEN));
}

const WithFiles = z.object({ filePathMap: z.record(z.string(), z.string()).optional() });

/** Copies an output with the files that its functions name, as an upload does. They stay where `vercel build` ran. */
function collect(output: string): string {
  const project = dirname(dirname(output));
  const directory = mkdtempSync(join(tmpdir(), 'sluice-vercel-'));
  cpSync(output, directory, { recursive: true, verbatimSymlinks: true });
  for (const config of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    if (!config.endsWith('.func/.vc-config.json') || isLink(join(directory, dirname(config)))) continue;
    const { filePathMap } = WithFiles.parse(JSON.parse(readFileSync(join(directory, config), 'utf8')));
    for (const [path, source] of Object.entries(filePathMap ?? {})) {
      const target = join(directory, dirname(config), path);
      mkdirSync(dirname(target), { recursive: true });
      cpSync(join(project, source), target, { recursive: true, dereference: true });
    }
  }
  return directory;
}

const isLink = (path: string) => lstatSync(path).isSymbolicLink();

const Manifest = z.object({
  functions: z.object({ '/_middleware': z.object({ matchers: z.array(z.object({ regexp: z.string() })) }) }),
});

function layOut(standalone: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-vercel-'));
  const addFunction = (name: string, launcher: string, config: object = {}) => {
    const folder = join(directory, 'functions', `${name}.func`);
    mkdirSync(folder, { recursive: true });
    const common = { runtime: 'nodejs24.x', launcherType: 'Nodejs', handler: 'launcher.cjs' };
    writeFileSync(join(folder, '.vc-config.json'), JSON.stringify({ ...common, ...config }));
    writeFileSync(join(folder, 'launcher.cjs'), PROLOGUE(standalone) + launcher);
  };
  addFunction('_middleware', MIDDLEWARE, { useWebApi: true });
  addFunction('index', SERVER);
  addFunction('v1', SERVER);
  const manifest = readFileSync(join(standalone, '.next/server/functions-config-manifest.json'), 'utf8');
  const [matcher] = Manifest.parse(JSON.parse(manifest)).functions['/_middleware'].matchers;
  const routes = [
    { src: matcher?.regexp, middlewarePath: '_middleware', continue: true, override: true },
    { handle: 'filesystem' },
    { src: '^/(?:v1(?:/.*)?|healthz|readyz|metrics)$', dest: '/v1' },
    { src: '^/.*$', dest: '/index' },
  ];
  writeFileSync(join(directory, 'config.json'), JSON.stringify({ version: 3, routes }));
  const assets = resolve('.next/static');
  if (existsSync(assets)) cpSync(assets, join(directory, 'static/_next/static'), { recursive: true });
  return directory;
}

const PROLOGUE = (standalone: string) => `
process.chdir(${JSON.stringify(standalone)});
process.env.NODE_ENV = 'production';
const load = require('node:module').createRequire(process.cwd() + '/index.js');
const platform = globalThis[Symbol.for('@vercel/request-context')];
globalThis[Symbol.for('@next/request-context')] = platform;
const { config: conf } = load('./.next/required-server-files.json');
`;

const SERVER = `
const Server = load('next/dist/server/next-server.js').default;
module.exports = new Server({ conf, dir: '.', minimalMode: true, customServer: false }).getRequestHandler();
`;

const MIDDLEWARE = `
globalThis.AsyncLocalStorage = require('node:async_hooks').AsyncLocalStorage;
const middleware = load('./.next/server/middleware.js');
module.exports = async ({ url, method, headers, body }) => {
  const { waitUntil } = platform.get();
  const handle = (await middleware).default;
  const request = { url, method, headers: Object.fromEntries(headers), nextConfig: conf, page: '/middleware', waitUntil };
  const result = await handle({ request: { ...request, ...(body === null ? {} : { body }) } });
  waitUntil(result.waitUntil);
  return result.response;
};
`;
