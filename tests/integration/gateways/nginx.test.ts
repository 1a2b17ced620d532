import { mkdirSync, writeFileSync } from 'node:fs';
import { behaves } from './behaves';
import { recipe, startProgram } from './processes';

behaves('nginx', async ({ port, sluice, application, token, directory }) => {
  mkdirSync(`${directory}/temp`);
  const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/temp/${name};`,
  );
  const text = recipe('nginx.conf', {
    '127.0.0.1:3000': `127.0.0.1:${sluice}`,
    '127.0.0.1:8080': `127.0.0.1:${application}`,
    'listen 8000;': `listen 127.0.0.1:${port};`,
    YOUR_GATEWAY_TOKEN: token,
    'http {\n': `http {\n  access_log off;\n  ${own.join('\n  ')}\n`,
  });
  writeFileSync(`${directory}/nginx.conf`, text);
  const globals = `daemon off; error_log stderr; pid ${directory}/nginx.pid;`;
  return startProgram('nginx', ['-p', directory, '-c', `${directory}/nginx.conf`, '-g', globals], { port });
});
