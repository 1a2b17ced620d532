import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { partsAreMissing } from '../../fixtures/programs';

const suite = 'the systemd unit';
const UNIT = 'deploy/sluice.service';
/** What docs/deploy-systemd.md states, times ten: the most that `systemd-analyze security` may find. */
const EXPOSURE = 11;

describe.skipIf(partsAreMissing(suite, 'systemd-analyze'))(suite, () => {
  it('is a valid unit', () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-unit-'));
    const file = join(directory, 'sluice.service');
    // Node is where it is on this machine.
    writeFileSync(file, readFileSync(UNIT, 'utf8').replace('/usr/bin/node', process.execPath));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
    rmSync(directory, { recursive: true });
    expect([status, stdout + stderr]).toEqual([0, '']);
  });

  it('is exposed no more than its page says', () => {
    const args = ['security', '--offline=true', `--threshold=${EXPOSURE}`, '--no-pager', UNIT];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    const overall = stdout.split('\n').filter((line) => line.includes('Overall exposure level'));
    expect([status, overall]).toEqual([0, [expect.any(String)]]);
    expect(readFileSync('docs/deploy-systemd.md', 'utf8')).toContain(`**${EXPOSURE / 10}**`);
  });
});

describe('the unit', () => {
  const lines = readFileSync(UNIT, 'utf8').split('\n');

  it('builds nothing, is a user of its own, and can be enabled', () => {
    expect(lines.filter((line) => /npm|build/.test(line))).toEqual([]);
    for (const line of ['User=sluice', 'UMask=0077', 'ProtectSystem=strict', 'StateDirectory=sluice', '[Install]'])
      expect(lines).toContain(line);
  });
});
