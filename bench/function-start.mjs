// Starts the small server of Next as a function of a platform does, and answers one check.
// Prints the time of the first answer since the start of the process, and its processor time, in ms.
import { readFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
Object.assign(process.env, { NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' });
const { config } = JSON.parse(readFileSync('.next/required-server-files.json', 'utf8'));
const { default: NextServer } = require('next/dist/compiled/next-server/server.runtime.prod.js');
const next = new NextServer({ conf: { ...config, compress: false }, dir: '.', minimalMode: true, customServer: false });
const handle = next.getRequestHandler();
const server = createServer((req, res) => handle(req, res));
server.listen(0, '127.0.0.1', () => {
  const headers = { 'Content-Type': 'application/json', 'X-Admin-Token': process.env.SLUICE_ADMIN_TOKEN };
  const { port } = server.address();
  const call = request({ host: '127.0.0.1', port, method: 'POST', path: '/v1/check', headers }, (answer) => {
    answer.resume().once('end', () => {
      const { user, system } = process.cpuUsage();
      console.log(
        JSON.stringify({ status: answer.statusCode, first: performance.now(), cpu: (user + system) / 1_000 }),
      );
      process.exit();
    });
  });
  call.end('{"class":"read","ip":"203.0.113.1"}');
});
