import { readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { close, listen } from '@/tests/fixtures/listen';
import { adminAt, type ServedProduct } from '@/tests/fixtures/product';
import { addedHeaders, headersOfPlatform, overrideHeaders, passOn, readBody, send } from './exchange';
import { Functions, type FunctionsOptions } from './functions';
import { findBuildOutput, MADE_BY } from './layout';
import { Routes } from './routes';

/** Largest body of a request that the platform passes to a function. */
const MOST_BODY = 4_500_000;

/** A deployment on a local stand-in for Vercel. */
export interface Deployment extends ServedProduct {
  /** Origin of its pages for a browser. The platform ends TLS. */
  site: string;
  functions: Functions;
  stop(): Promise<void>;
}

/** Deploys the build. Migrations must have been applied, as in the build step of the platform. */
export async function deploy(options: FunctionsOptions): Promise<Deployment> {
  const output = findBuildOutput();
  const functions = new Functions(join(output, 'functions'), options);
  const platform = new Platform(output, functions);
  const server = createServer((request, response) => {
    platform.answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(502);
      response.end(String(error));
    });
  });
  const port = await listen(server);
  const origin = `http://127.0.0.1:${port}`;
  return {
    ...{ origin, port, functions, admin: adminAt(origin) },
    site: `https://127.0.0.1:${port}`,
    async stop() {
      await close(server);
      functions.stop();
      rmSync(output, { recursive: true, force: true });
    },
  };
}

/** Answers requests by a build output: routes, middleware, rewrites, functions and files. */
class Platform {
  readonly #routes: Routes;

  constructor(
    output: string,
    private readonly functions: Functions,
  ) {
    this.#routes = new Routes(output);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const body = await readBody(request);
    if (body.length > MOST_BODY) {
      response.writeHead(413, { 'x-vercel-error': 'FUNCTION_PAYLOAD_TOO_LARGE' }).end();
      return;
    }
    let headers = headersOfPlatform(request);
    let external: URL | null = null;
    const routed = await this.#routes.route({ method, path: url, headers }, async (name, path) => {
      const answered = await this.functions.invoke(name, { method, path, headers, body });
      const rewrite = answered.headers['x-middleware-rewrite'];
      if (answered.headers['x-middleware-next'] === undefined && typeof rewrite !== 'string') {
        passOn(answered, response);
        return null;
      }
      answered.resume();
      headers = overrideHeaders(headers, answered.headers);
      for (const [field, value] of Object.entries(addedHeaders(answered.headers)))
        if (value !== undefined) response.setHeader(field, value);
      if (typeof rewrite !== 'string') return path;
      const target = new URL(rewrite, `https://${request.headers.host}`);
      if (target.host === request.headers.host) return target.pathname + target.search;
      external = target;
      return path;
    });
    if (routed === null) return;
    if (external !== null) return passOn(await sendTo(external, { method, headers, body }), response);
    for (const [field, value] of Object.entries(routed.headers)) response.setHeader(field, value);
    if (routed.kind === 'status') response.writeHead(routed.status).end();
    else if (routed.kind === 'file') response.end(readFileSync(routed.file));
    else
      passOn(await this.functions.invoke(routed.name, { method, ...this.#call(routed, url, headers), body }), response);
  }

  /** Without the command line tool, a function finds its page by the path itself. */
  #call({ path }: { path: string }, url: string, headers: IncomingMessage['headers']) {
    if (MADE_BY === 'next build') return { path: url, headers };
    const [matched = '', query] = path.split('?');
    const [original = ''] = url.split('?');
    return {
      path: query === undefined ? original : `${original}?${query}`,
      headers: { ...headers, 'x-matched-path': matched },
    };
  }
}

function sendTo(
  { hostname, port, pathname, search, host }: URL,
  { headers, ...message }: { method: string; headers: IncomingMessage['headers']; body: Buffer },
): ReturnType<typeof send> {
  const receiver = { host: hostname, port: Number(port) };
  return send(receiver, { ...message, path: pathname + search, headers: { ...headers, host } });
}
