import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { freePort } from '../../fixtures/free-port';
import { partsAreMissing } from '../../fixtures/programs';
import { apacheEnvironment, prepareApache } from './apache';
import { type Program, startProgram } from './processes';

/** The gateways whose recipes are run. */
const GATEWAY_NAMES = ['nginx', 'caddy', 'haproxy', 'apache'] as const;
export type GatewayName = (typeof GATEWAY_NAMES)[number];

/** Where Sluice stands: beside the gateway, which asks it, or behind it, in front of the application. */
export type Mode = 'beside' | 'behind';

/** A gateway that runs, on http and https. */
export interface Edge extends Program {
  origin: string;
  secureOrigin: string;
}

export interface EdgeOptions {
  sluice: number;
  application: number;
  token: string;
  /** Lets requests through while Sluice is down. */
  open?: boolean;
  /** Replaces the 75 seconds for which a gateway waits for Sluice behind it. */
  patience?: number;
}

interface Place extends EdgeOptions {
  port: number;
  securePort: number;
  /** For its files; readable by the user that the gateway becomes. */
  directory: string;
}

interface Recipe {
  files: Record<Mode, readonly string[]>;
  /** What a test has to replace beside the addresses of Sluice and the application, and the certificates. */
  replaced(place: Place): Record<string, string>;
  /** What is done before it is started. */
  prepare?(file: string, place: Place): void;
  /** How the first of its files is started. */
  command(file: string, place: Place): [program: string, ...args: string[]];
  env?(place: Place): Record<string, string>;
}

const isRoot = process.getuid?.() === 0;

const RECIPES: Record<GatewayName, Recipe> = {
  nginx: {
    files: { beside: ['nginx.conf'], behind: ['nginx-behind.conf'] },
    replaced: ({ port, securePort, directory, token, patience = 75 }) => ({
      'proxy_read_timeout 75s': `proxy_read_timeout ${patience}s`,
      'listen 8000;': `listen 127.0.0.1:${port};`,
      'listen 443 ': `listen 127.0.0.1:${securePort} `,
      YOUR_GATEWAY_TOKEN: token,
      'http {\n': `http {\n  access_log off;\n${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
        .map((name) => `  ${name}_temp_path ${directory}/temp-${name};\n`)
        .join('')}`,
    }),
    command: (file, { directory }) => {
      const globals = `daemon off; error_log stderr; pid ${directory}/nginx.pid;`;
      return ['nginx', '-p', directory, '-c', file, '-g', globals];
    },
  },
  caddy: {
    files: { beside: ['Caddyfile'], behind: ['Caddyfile-behind'] },
    replaced: ({ port, securePort, patience = 75 }) => ({
      'response_header_timeout 75s': `response_header_timeout ${patience}s`,
      'http://:8000 {': `http://:${port} {\n\tbind 127.0.0.1`,
      'https://:443 {': `https://localhost:${securePort} {\n\tbind 127.0.0.1`,
      // The first line of both files.
      '# Caddy in front': '{\n\tadmin off\n\tauto_https disable_redirects\n\tskip_install_trust\n}\n\n# Caddy in front',
    }),
    command: (file) => ['caddy', 'run', '--adapter', 'caddyfile', '--config', file],
    env: ({ token, directory }) => ({ SLUICE_TOKEN: token, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory }),
  },
  haproxy: {
    files: { beside: ['haproxy.cfg', 'haproxy.lua'], behind: ['haproxy-behind.cfg'] },
    replaced: ({ port, securePort, directory, patience = 75 }) => ({
      'timeout server 75s': `timeout server ${patience}s`,
      'bind :8000': `bind 127.0.0.1:${port}`,
      'bind :443 ': `bind 127.0.0.1:${securePort} `,
      '/etc/haproxy/': `${directory}/`,
      '/run/haproxy/sluice.sock': `${directory}/sluice.sock`,
      // Only root may become another user.
      ...(isRoot ? {} : { '  user haproxy\n': '', '  group haproxy\n': '', 'sock user haproxy': 'sock' }),
    }),
    command: (file) => ['haproxy', '-db', '-f', file],
    env: ({ token, directory, open }) => ({
      SLUICE_SOCKET: `${directory}/sluice.sock`,
      // Either way of handing it over.
      ...(open ? { SLUICE_TOKEN_FILE: `${directory}/token` } : { SLUICE_TOKEN: token }),
    }),
  },
  apache: {
    files: { beside: ['apache.conf', 'apache.lua'], behind: ['apache-behind.conf'] },
    replaced: ({ port, securePort, directory, patience = 75 }) => ({
      'connectiontimeout=1 timeout=75': `connectiontimeout=1 timeout=${patience}`,
      'Listen 8000': `Listen 127.0.0.1:${port}`,
      '*:8000': `127.0.0.1:${port}`,
      '*:443': `127.0.0.1:${securePort}`,
      '/etc/apache2/sluice.lua': `${directory}/apache.lua`,
    }),
    prepare: (file, { directory, securePort }) => prepareApache(directory, file, securePort),
    command: (_, { directory }) => ['apache2', '-d', join(directory, 'apache'), '-D', 'FOREGROUND'],
    env: ({ token, directory }) => ({ SLUICE_TOKEN: token, ...apacheEnvironment(directory) }),
  },
};

/** The gateways that are installed. Reports the others as skipped. */
export const installedGateways: readonly GatewayName[] = GATEWAY_NAMES.filter(
  (name) => !partsAreMissing(`gateways/${name}`, name, 'curl', 'openssl'),
);

/** What the page tells to do about the lines that are switched off: `tls` or `open`. */
function switchOn(word: 'tls' | 'open', file: string): void {
  const script = `s/#${word}# //`;
  if (!readFileSync('docs/gateways/README.md', 'utf8').includes(`sed -i '${script}' `))
    throw new Error(`docs/gateways/README.md does not say: sed -i '${script}'`);
  if (spawnSync('sed', ['-i', script, file]).status !== 0) throw new Error(`sed failed on ${file}.`);
}

/** Files of `docs/gateways`, each text of which is replaced in at least one of them. */
function withReplacements(files: readonly string[], replaced: Record<string, string>): Map<string, string> {
  const texts = new Map(files.map((name) => [name, readFileSync(`docs/gateways/${name}`, 'utf8')]));
  for (const [name, text] of texts) {
    texts.set(
      name,
      Object.entries(replaced).reduce((before, [from, to]) => before.replaceAll(from, to), text),
    );
  }
  return texts;
}

/** One self-signed certificate for localhost, for all gateways of this process. */
let certificate: { certificate: string; key: string } | undefined;

function makeCertificate(directory: string): { certificate: string; key: string } {
  const paths = { certificate: join(directory, 'certificate.pem'), key: join(directory, 'key.pem') };
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  spawnSync('openssl', [...kind, ...names, '-keyout', paths.key, '-out', paths.certificate]);
  return { certificate: readFileSync(paths.certificate, 'utf8'), key: readFileSync(paths.key, 'utf8') };
}

/** Puts the certificate where the recipes look for one. */
function placeCertificate(directory: string): void {
  certificate ??= makeCertificate(directory);
  writeFileSync(join(directory, 'certificate.pem'), certificate.certificate);
  writeFileSync(join(directory, 'key.pem'), certificate.key);
  chmodSync(join(directory, 'key.pem'), 0o644);
  writeFileSync(join(directory, 'haproxy.pem'), certificate.certificate + certificate.key);
}

/**
 * Starts a gateway with its files of `docs/gateways`: only addresses, ports, paths and the token are replaced, and the
 * lines for TLS (and for failing open) switched on as the page says.
 */
export async function startGateway(name: GatewayName, mode: Mode, options: EdgeOptions): Promise<Edge> {
  const recipe = RECIPES[name];
  const directory = mkdtempSync(join(tmpdir(), `sluice-${name}-`));
  chmodSync(directory, 0o755);
  const place: Place = { ...options, directory, port: await freePort(), securePort: await freePort() };
  mkdirSync(join(directory, 'ssl'));
  placeCertificate(join(directory, 'ssl'));
  const texts = withReplacements(recipe.files[mode], {
    '127.0.0.1:3000': `127.0.0.1:${options.sluice}`,
    '127.0.0.1:8080': `127.0.0.1:${options.application}`,
    '/etc/ssl/gateway/': `${directory}/ssl/`,
    ...recipe.replaced(place),
  });
  // HAProxy must read it before it changes its user.
  writeFileSync(join(directory, 'token'), `${options.token}\n`, { mode: 0o600 });
  for (const [file, text] of texts) {
    const path = join(directory, basename(file));
    writeFileSync(path, text);
    switchOn('tls', path);
    if (options.open) switchOn('open', path);
  }
  recipe.prepare?.(join(directory, recipe.files[mode][0] ?? ''), place);
  const [program, ...args] = recipe.command(join(directory, recipe.files[mode][0] ?? ''), place);
  const env = recipe.env?.(place) ?? {};
  const running = await startProgram(program, args, { port: place.port, env });
  return {
    origin: `http://127.0.0.1:${place.port}`,
    secureOrigin: `https://localhost:${place.securePort}`,
    async stop() {
      await running.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
