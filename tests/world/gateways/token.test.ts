import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { freePort } from '../../fixtures/free-port';
import { partsAreMissing, reportSkipped } from '../../fixtures/programs';
import { startProgram } from './processes';

const UNITS = '/usr/lib/systemd/system';
/** The drop-ins of the pages: where they belong, and their text. */
const dropIns = (['caddy', 'haproxy', 'apache'] as const).flatMap((gateway) => {
  const page = readFileSync(`docs/gateways/${gateway}.md`, 'utf8');
  return [...page.matchAll(/```ini\n# \/etc\/systemd\/system\/(\S+)\n([\s\S]*?)```/g)].map(
    ([, path = '', text = '']) => ({ gateway, path, text, unit: dirname(path).replace(/\.d$/, '') }),
  );
});

describe('the token under systemd', () => {
  it('has a drop-in on each page that needs one', () => {
    expect(dropIns.map(({ path }) => path)).toEqual(
      ['caddy', 'haproxy', 'apache2'].map((unit) => `${unit}.service.d/sluice.conf`),
    );
  });

  it.for(dropIns)("$path goes with Debian's unit", ({ gateway, path, text, unit }, { skip }) => {
    const suite = `gateways/token (${unit})`;
    if (partsAreMissing(suite, 'systemd-analyze', gateway)) skip();
    if (!existsSync(join(UNITS, unit))) {
      reportSkipped(suite, `${UNITS}/${unit} does not exist`);
      skip();
    }
    const folder = mkdtempSync(join(tmpdir(), 'sluice-units-'));
    cpSync(join(UNITS, unit), join(folder, unit));
    mkdirSync(join(folder, dirname(path)));
    writeFileSync(join(folder, path), text);
    const env = { PATH: process.env.PATH, SYSTEMD_UNIT_PATH: `${folder}:` } as unknown as NodeJS.ProcessEnv;
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, unit)], {
      env,
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect(`${stdout}${stderr}`).not.toContain('sluice.conf');
    expect(status, `${stdout}${stderr}`).toBe(0);
  });

  it("keeps Caddy's environment out of the log", () => {
    const text = dropIns.find(({ gateway }) => gateway === 'caddy')?.text;
    expect(text).toMatch(/^ExecStart=$/m);
    expect(text).not.toContain('--environ');
  });
});

const ComposeSchema = z.strictObject({
  services: z.record(
    z.string(),
    z.strictObject({
      image: z.string(),
      command: z.tuple([z.literal('sh'), z.literal('-c'), z.string()]).optional(),
      user: z.literal('root').optional(),
      tmpfs: z.tuple([z.literal('/run/haproxy')]).optional(),
      environment: z.record(z.string(), z.string()).optional(),
      secrets: z.array(z.string()),
      volumes: z.array(z.string()),
    }),
  ),
  secrets: z.record(z.string(), z.strictObject({ file: z.string() })),
});

/** No container engine runs here: the example by its structure, and the shell that it starts Caddy with. */
describe('the token in a container', () => {
  const page = readFileSync('docs/gateways/README.md', 'utf8');
  const { services, secrets } = ComposeSchema.parse(parse(/```yaml\n(services:[\s\S]*?)```/.exec(page)?.[1] ?? ''));

  it('comes from a secret that exists, with files of the recipes', () => {
    for (const service of Object.values(services)) {
      expect(service.secrets).toEqual(Object.keys(secrets));
      for (const volume of service.volumes)
        expect(existsSync(join('docs/gateways', volume.split(':')[0] ?? ''))).toBe(true);
    }
    const { haproxy } = services;
    expect(haproxy?.environment?.SLUICE_TOKEN_FILE).toBe(`/run/secrets/${Object.keys(secrets)[0]}`);
    const read = readFileSync('docs/gateways/haproxy.lua', 'utf8').matchAll(/os\.getenv\("(\w+)"\)/g);
    expect([...read].map(([, name]) => name)).toEqual(expect.arrayContaining(Object.keys(haproxy?.environment ?? {})));
  });

  it.skipIf(partsAreMissing('gateways/token (caddy)', 'caddy'))(
    'reaches Caddy by the shell of the example',
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'sluice-secret-'));
      const port = await freePort();
      writeFileSync(join(directory, 'sluice_token'), 'the-token\n');
      const site = `{\n\tadmin off\n}\nhttp://127.0.0.1:${port} {\n\trespond "{$SLUICE_TOKEN}"\n}\n`;
      writeFileSync(join(directory, 'Caddyfile'), site);
      const [shell, flag, script] = services.caddy?.command ?? ['sh', '-c', ''];
      const here = script
        .replaceAll('$$', () => '$')
        .replace('/run/secrets', directory)
        .replace('/etc/caddy', directory);
      const env = { XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
      const caddy = await startProgram(shell, [flag, here], { port, env });
      expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('the-token');
      await caddy.stop();
      rmSync(directory, { recursive: true });
    },
  );
});
