import { writeFileSync } from 'node:fs';
import { behaves } from './behaves';
import { recipe, startProgram } from './processes';

behaves('caddy', async ({ port, sluice, application, token, directory }) => {
  const text = recipe('Caddyfile', {
    '127.0.0.1:3000': `127.0.0.1:${sluice}`,
    '127.0.0.1:8080': `127.0.0.1:${application}`,
    ':8000 {': `http://127.0.0.1:${port} {`,
  });
  writeFileSync(`${directory}/Caddyfile`, `{\n\tadmin off\n\tauto_https off\n}\n\n${text}`);
  const env = { SLUICE_TOKEN: token, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  return startProgram('caddy', ['run', '--adapter', 'caddyfile', '--config', `${directory}/Caddyfile`], { port, env });
});
