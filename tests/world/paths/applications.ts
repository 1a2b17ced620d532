import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import Router from '@koa/router';
import express from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import { freePort } from '../../fixtures/free-port';
import { close, listen } from '../../fixtures/listen';
import { startProgram } from '../gateways/processes';
import { HANDLERS } from './handlers';

/** A server that answers with the path of the handler that a request reached. */
export interface RoutingServer {
  port: number;
  stop(): Promise<void>;
}

const PATHS = HANDLERS.map(({ path }) => path);
/** `*` in the syntax of path-to-regexp 8. */
const named = (path: string) => path.replace('*', '*rest');

async function serve(listener: RequestListener | Server): Promise<RoutingServer> {
  const server = typeof listener === 'function' ? createServer(listener) : listener;
  return { port: await listen(server), stop: () => close(server) };
}

function startExpress(make: typeof express, written: (path: string) => string): Promise<RoutingServer> {
  const app = make();
  for (const path of PATHS) app.get(written(path), (_, response) => void response.type('text').send(path));
  return serve(createServer(app));
}

function startFastify(options: object): Promise<RoutingServer> {
  let answer: RequestListener = () => undefined;
  const app = fastify({
    ...options,
    serverFactory: (handler) => {
      answer = handler;
      return createServer(handler);
    },
  });
  for (const path of PATHS) app.get(path, () => path);
  return Promise.resolve(app.ready()).then(() => serve((request, response) => answer(request, response)));
}

function startKoa(): Promise<RoutingServer> {
  const app = new Koa();
  const router = new Router();
  for (const path of PATHS)
    router.get(named(path), (context) => {
      context.body = path;
    });
  app.use(router.routes());
  return serve(createServer(app.callback()));
}

function startHono(): Promise<RoutingServer> {
  const app = new Hono();
  for (const path of PATHS) app.get(path, (context) => context.text(path));
  return serve(async (incoming, outgoing) => {
    const answer = await app.fetch(new Request(`http://localhost${incoming.url}`));
    outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
}

/** An application of Next with a route handler for each path, built for production. */
async function startNext(): Promise<RoutingServer> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-paths-')));
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write('package.json', '{"private":true,"type":"module"}');
  write('next.config.mjs', "export default { turbopack: { root: '/' } };");
  write('app/layout.js', 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;');
  write('app/page.js', 'export default () => null;');
  for (const path of PATHS) {
    const route = path.replace(/:(\w+)/g, '[$1]').replace('*', '[[...rest]]');
    write(
      `app${route}/route.js`,
      `export const dynamic = 'force-dynamic'; export const GET = () => new Response('${path}');`,
    );
  }
  for (const name of ['next', 'react', 'react-dom']) {
    mkdirSync(join(folder, 'node_modules'), { recursive: true });
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name));
  }
  const next = resolve('node_modules/next/dist/bin/next');
  const env = { PATH: process.env.PATH ?? '', HOME: folder, NEXT_TELEMETRY_DISABLED: '1' };
  await promisify(execFile)(process.execPath, [next, 'build'], {
    cwd: folder,
    env: { ...env, NODE_ENV: 'production' },
  });
  const port = await freePort();
  const args = [next, 'start', folder, '--hostname', '127.0.0.1', '--port', String(port)];
  const running = await startProgram(process.execPath, args, { port, env });
  return {
    port,
    stop: async () => {
      await running.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The applications by the name that the page has for them. */
export const APPLICATIONS: Readonly<Record<string, () => Promise<RoutingServer>>> = {
  'Express 4': () => startExpress(express4, (path) => path),
  'Express 5': () => startExpress(express, named),
  Fastify: () => startFastify({}),
  'Fastify, lenient': () =>
    startFastify({
      routerOptions: {
        ignoreDuplicateSlashes: true,
        ignoreTrailingSlash: true,
        useSemicolonDelimiter: true,
        caseSensitive: false,
      },
    }),
  Hono: startHono,
  Koa: startKoa,
  Next: startNext,
};
