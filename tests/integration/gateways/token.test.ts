import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInstalled } from './processes';

const UNITS = '/usr/lib/systemd/system';
/** The drop-ins of the pages: where they belong, and their text. */
const dropIns = ['caddy', 'haproxy'].flatMap((gateway) => {
  const page = readFileSync(`docs/gateways/${gateway}.md`, 'utf8');
  return [...page.matchAll(/```ini\n# \/etc\/systemd\/system\/(\S+)\n([\s\S]*?)```/g)].map(
    ([, path = '', text = '']) => ({ gateway, path, text, unit: dirname(path).replace(/\.d$/, '') }),
  );
});

describe('the token under systemd', () => {
  it('has a drop-in on each page that needs one', () => {
    expect(dropIns.map(({ path }) => path)).toEqual(['caddy.service.d/sluice.conf', 'haproxy.service.d/sluice.conf']);
  });

  it.each(dropIns)("$path goes with Debian's unit", ({ gateway, path, text, unit }) => {
    const installed = isInstalled('systemd-analyze') && existsSync(join(UNITS, unit));
    if (!installed) return console.warn(`SKIPPED: gateways/token: ${gateway} or systemd-analyze is not installed`);
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
