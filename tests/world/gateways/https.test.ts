import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { adaptGatewayText, RECIPES } from '@/lib/admin/first-hour/gateway-text';
import { GATEWAYS, type Gateway } from '@/lib/contract/first-hour';
import { partsAreMissing } from '../../fixtures/programs';
import { apacheEnvironment, prepareApache } from './apache';
import type { GatewayName } from './gateways';

const ORIGIN = 'https://localhost:3443';

const textsOf = (gateway: Gateway) =>
  RECIPES[gateway].files.map((name) => ({
    name,
    text: adaptGatewayText(gateway, readFileSync(`docs/gateways/${name}`, 'utf8'), ORIGIN),
  }));

/** How each gateway checks a configuration in a folder without running it. */
const CHECKS: Record<GatewayName, (file: string, folder: string) => string[]> = {
  nginx: (file) => ['nginx', '-t', '-c', file],
  caddy: (file) => ['caddy', 'validate', '--adapter', 'caddyfile', '--config', file],
  haproxy: (file) => ['haproxy', '-c', '-f', file],
  apache: (file, folder) => {
    prepareApache(folder, file, 443);
    return ['apache2', '-t', '-d', apacheEnvironment(folder).APACHE_CONFDIR ?? ''];
  },
};

describe('the configuration of a gateway for a Sluice behind https', () => {
  it.each(GATEWAYS)('%s: asks over TLS, and verifies whom it asks', (gateway) => {
    const text = textsOf(gateway)
      .map((file) => file.text)
      .join('\n');
    expect(text).toContain('localhost:3443');
    expect(text).not.toContain('http://localhost');
    if (gateway !== 'haproxy') expect(text).not.toMatch(/http:\/\/sluice/);
    expect(text).toMatch(/https:\/\/|ssl verify required/);
  });

  it.for(Object.entries(CHECKS))('%s accepts it', ([gateway, check], { skip }) => {
    if (partsAreMissing(`gateways/${gateway} (https)`, gateway as GatewayName)) skip();
    const folder = mkdtempSync(join(tmpdir(), 'sluice-gateway-'));
    for (const { name, text } of textsOf(gateway as Gateway)) {
      const here = text
        .replaceAll('/etc/haproxy/haproxy.lua', resolve('docs/gateways/haproxy.lua'))
        .replaceAll('/run/haproxy/sluice.sock', join(folder, 'sluice.sock'));
      writeFileSync(join(folder, name), here);
    }
    const [program = '', ...args] = check(join(folder, RECIPES[gateway as Gateway].files[0] ?? ''), folder);
    const own = { SLUICE_TOKEN: 'x', XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, ...apacheEnvironment(folder) };
    const env = { ...process.env, ...own };
    const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: 'utf8' });
    rmSync(folder, { recursive: true });
    expect(status, `${stdout}${stderr}`).toBe(0);
  });
});
