// Runs a function of the Build Output API as the platform does: `node function-process.mjs <directory of the function>`.
// Reports to its parent the port, and each request whose answer is sent and whose `waitUntil` promises have settled.
import { AsyncLocalStorage } from 'node:async_hooks';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const [, , directory] = process.argv;
const { handler, useWebApi, environment } = JSON.parse(readFileSync(join(directory, '.vc-config.json'), 'utf8'));
Object.assign(process.env, environment);

const requests = new AsyncLocalStorage();
globalThis[Symbol.for('@vercel/request-context')] = { get: () => requests.getStore() };

process.chdir(directory);
const loaded = await createRequire(join(directory, 'index.js'))(`./${handler}`);
const handle = loaded.default ?? loaded;

/** Answers by a handler that takes a `Request` and returns a `Response`. */
async function answerByWebApi(request, response) {
  const { method, url, headers } = request;
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const origin = `${headers['x-forwarded-proto']}://${headers.host}`;
  const body = hasBody ? { body: Readable.toWeb(request), duplex: 'half' } : {};
  const result = await handle(new Request(new URL(url, origin), { method, headers, ...body }));
  for (const [name, value] of result.headers) response.appendHeader(name, value);
  response.writeHead(result.status);
  if (result.body === null) response.end();
  else await pipeline(Readable.fromWeb(result.body), response);
}

const server = createServer((request, response) => {
  const pending = new Set();
  const waitUntil = (promise) => {
    const settled = Promise.resolve(promise)
      .catch((error) => console.error('waitUntil:', error))
      .finally(() => pending.delete(settled));
    pending.add(settled);
  };
  response.once('close', async () => {
    while (pending.size > 0) await Promise.all(pending);
    process.send({ settled: true });
  });
  const answer = useWebApi ? answerByWebApi : handle;
  requests
    .run({ waitUntil, headers: request.headers }, async () => answer(request, response))
    .catch((error) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
});
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
