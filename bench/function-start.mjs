// Starts the small server of Next as a function of a platform does, and answers one request: `function-start.mjs PATH`.
// Prints the time when the answer was sent since the start of the process, and its processor time, in ms.
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(join(process.cwd(), 'index.js'));
Object.assign(process.env, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' });
globalThis[Symbol.for('@next/request-context')] = { get: () => ({ waitUntil: () => undefined }) };
const { config } = JSON.parse(readFileSync('.next/required-server-files.json', 'utf8'));
const { default: NextServer } = require('next/dist/compiled/next-server/server.runtime.prod.js');
const next = new NextServer({ conf: { ...config, compress: false }, dir: '.', minimalMode: true, customServer: false });
const handle = next.getRequestHandler();
const server = createServer((req, res) => {
  // Work after the answer does not delay it, so it is not measured.
  res.once('finish', () => {
    const { user, system } = process.cpuUsage();
    const start = { status: res.statusCode, first: performance.now(), cpu: (user + system) / 1_000 };
    console.log(JSON.stringify(start));
    process.exit();
  });
  return handle(req, res);
});
server.listen(0, '127.0.0.1', () => {
  const headers = { 'Content-Type': 'application/json', 'X-Admin-Token': process.env.SLUICE_ADMIN_TOKEN ?? '' };
  const { port } = server.address();
  const to = { host: '127.0.0.1', port, method: 'POST', path: process.argv[2], headers };
  request(to).end('{"class":"read","ip":"203.0.113.1"}');
});
