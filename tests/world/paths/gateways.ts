import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../fixtures/free-port';
import { type PartName, partsAreMissing } from '../../fixtures/programs';
import { startProgram } from '../gateways/processes';
import { expressionOf, HANDLERS } from './handlers';

/** A gateway that routes by itself on one port, and forwards on others. */
export interface RoutingGateway {
  routes: number;
  /** Ports by how the gateway forwards what it gets there. */
  forwards: Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

interface Place {
  /** Where the gateway itself answers. */
  own: number;
  forwards: readonly number[];
  application: number;
  directory: string;
}

interface GatewayRecipe {
  part: PartName;
  /** Ways to forward, in the order of the ports. */
  ways: readonly string[];
  configuration(place: Place): string;
  command(file: string, place: Place): [string, ...string[]];
}

const RECIPES: Readonly<Record<string, GatewayRecipe>> = {
  nginx: {
    part: 'nginx',
    ways: ['as it came', 'with a path in proxy_pass', 'with $uri'],
    configuration: ({ own, forwards, application, directory }) => `
      daemon off; pid ${directory}/pid; error_log stderr;
      events {}
      http {
        access_log off; default_type text/plain;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${directory}/${name};`).join(' ')}
        server { listen 127.0.0.1:${own};
          ${HANDLERS.map(({ path }) => `location ~ "${expressionOf(path)}" { return 200 "${path}"; }`).join('\n')} }
        ${['', '/', '$uri'].map((target, at) => `server { listen 127.0.0.1:${forwards[at]}; location / { proxy_pass http://127.0.0.1:${application}${target}; } }`).join('\n')}
      }`,
    command: (file, { directory }) => ['nginx', '-p', directory, '-c', file],
  },
  Caddy: {
    part: 'caddy',
    ways: ['as it came'],
    configuration: ({ own, forwards, application }) => `{
	admin off
	auto_https off
}
http://:${own} {
	bind 127.0.0.1
${HANDLERS.map(({ path }, at) => {
  const matcher = path.includes(':') ? `path_regexp ${expressionOf(path)}` : `path ${path}`;
  return `\t@h${at} ${matcher}\n\thandle @h${at} {\n\t\trespond * "${path}"\n\t}`;
}).join('\n')}
	handle {
		respond 404
	}
}
http://:${forwards[0]} {
	bind 127.0.0.1
	reverse_proxy 127.0.0.1:${application}
}
`,
    command: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
  },
  HAProxy: {
    part: 'haproxy',
    ways: ['as it came', 'normalized'],
    configuration: ({ own, forwards, application }) => `
global
  expose-experimental-directives
defaults
  mode http
  timeout connect 5s
  timeout client 30s
  timeout server 30s
frontend own
  bind 127.0.0.1:${own}
${HANDLERS.map(({ path }) => `  http-request return status 200 content-type text/plain string "${path}" if { path_reg '${expressionOf(path)}' }`).join('\n')}
  http-request return status 404
frontend asis
  bind 127.0.0.1:${forwards[0]}
  default_backend application
frontend normalized
  bind 127.0.0.1:${forwards[1]}
  http-request normalize-uri percent-decode-unreserved
  http-request normalize-uri path-merge-slashes
  http-request normalize-uri path-strip-dot
  http-request normalize-uri path-strip-dotdot
  default_backend application
backend application
  server one 127.0.0.1:${application}
`,
    command: (file) => ['haproxy', '-db', '-f', file],
  },
  Apache: {
    part: 'apache',
    ways: ['as a path', 'AllowEncodedSlashes NoDecode', 'nocanon'],
    configuration: ({ own, forwards, application, directory }) => `
ServerRoot "${directory}"
PidFile "${directory}/pid"
ServerName localhost
ErrorLog "${directory}/errors"
${[own, ...forwards].map((port) => `Listen 127.0.0.1:${port}`).join('\n')}
${['mpm_event', 'authz_core', 'proxy', 'proxy_http', 'headers'].map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
DocumentRoot "${directory}"
<VirtualHost 127.0.0.1:${own}>
${HANDLERS.map(({ path }) => `<LocationMatch "${expressionOf(path)}">\nHeader always set X-Handler "${path}"\n</LocationMatch>`).join('\n')}
</VirtualHost>
<VirtualHost 127.0.0.1:${forwards[0]}>
AllowEncodedSlashes On
ProxyPass / http://127.0.0.1:${application}/
</VirtualHost>
<VirtualHost 127.0.0.1:${forwards[1]}>
AllowEncodedSlashes NoDecode
ProxyPass / http://127.0.0.1:${application}/
</VirtualHost>
<VirtualHost 127.0.0.1:${forwards[2]}>
AllowEncodedSlashes NoDecode
ProxyPass / http://127.0.0.1:${application}/ nocanon
</VirtualHost>
`,
    command: (file, { directory }) => ['apache2', '-d', directory, '-f', file, '-D', 'FOREGROUND'],
  },
};

/** The gateways that are installed. Reports the others as skipped. */
export const GATEWAYS = Object.keys(RECIPES).filter(
  (name) => !partsAreMissing(`paths/${name}`, RECIPES[name]?.part ?? 'nginx'),
);

/** @param application the port to which it forwards */
export async function startRoutingGateway(name: string, application: number): Promise<RoutingGateway> {
  const recipe = RECIPES[name];
  if (recipe === undefined) throw new Error(`There is no recipe for ${name}.`);
  const directory = mkdtempSync(join(tmpdir(), 'sluice-paths-'));
  chmodSync(directory, 0o755);
  const ports = await Promise.all(recipe.ways.map(() => freePort()));
  const place: Place = { own: await freePort(), forwards: ports, application, directory };
  const file = join(directory, 'configuration');
  writeFileSync(file, recipe.configuration(place));
  const [program, ...args] = recipe.command(file, place);
  const running = await startProgram(program, args, {
    port: place.own,
    env: { XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory },
  });
  return {
    routes: place.own,
    forwards: Object.fromEntries(recipe.ways.map((way, at) => [way, ports[at] ?? 0])),
    async stop() {
      await running.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
