import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { behaves } from './behaves';
import { recipe, startProgram } from './processes';

behaves('haproxy', async ({ port, sluice, application, token, directory }) => {
  const socket = `${directory}/sluice.sock`;
  const text = recipe('haproxy.cfg', {
    '127.0.0.1:3000': `127.0.0.1:${sluice}`,
    '127.0.0.1:8080': `127.0.0.1:${application}`,
    'bind :8000': `bind 127.0.0.1:${port}`,
    '/etc/haproxy/haproxy.lua': resolve('docs/gateways/haproxy.lua'),
    '/run/haproxy/sluice.sock': socket,
  });
  writeFileSync(`${directory}/haproxy.cfg`, text);
  const env = { SLUICE_TOKEN: token, SLUICE_SOCKET: socket };
  return startProgram('haproxy', ['-db', '-f', `${directory}/haproxy.cfg`], { port, env });
});
