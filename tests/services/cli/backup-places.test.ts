import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '@/lib/db/database';
import { migrate } from '@/lib/db/migrate';
import { openDatabase } from '@/lib/db/open-database';
import { commandLine } from '../../fixtures/command-line';
import { SmallDisk, smallDiskIsMissing } from '../../fixtures/small-disk';

let sluice: Awaited<ReturnType<typeof commandLine>>;
let folder: string;
let path: string;
let database: Database;

beforeAll(async () => {
  sluice = await commandLine();
  folder = mkdtempSync(join(tmpdir(), 'sluice-places-'));
  path = join(folder, 'sluice.db');
  database = openDatabase({ url: `file:${path}`, monotonic: () => 0, wait: async () => undefined, random: () => 0 });
  await migrate(database, 'drizzle', 0);
});
afterAll(() => {
  database.close();
  sluice.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** A backup that is refused in one sentence. Answers what was printed. */
async function refuse(file: string, code: number): Promise<string> {
  const ran = await sluice.run(['backup', file, '--yes'], { env: { DATABASE_URL: `file:${path}` } });
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).not.toMatch(/\n\s+at /);
  return ran.stderr;
}

describe('sluice backup replaces', () => {
  it.each(['', '-wal', '-shm'])('no file of the database itself: sluice.db%s', async (end) => {
    const { ino } = statSync(path + end);
    expect(await refuse(path + end, 2)).toContain('belongs to the database itself');
    expect(statSync(path + end).ino).toBe(ino);
  });

  it('no pipe and no device', async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(await refuse(pipe, 2)).toContain('is no file');
    expect(statSync(pipe).isFIFO()).toBe(true);
  });

  it('no directory', async () => {
    mkdirSync(join(folder, 'directory'));
    expect(await refuse(join(folder, 'directory'), 2)).toContain('is no file');
  });
});

it('sluice backup says that nothing can be written there', async () => {
  expect(await refuse('/proc/sluice.db', 2)).toMatch(/^error: \S+ cannot be used \(E\w+\)\.$/m);
});

it.skipIf(smallDiskIsMissing('services/cli (full disk)'))('sluice backup leaves nothing on a full disk', async () => {
  using disk = new SmallDisk('1m');
  disk.fill();
  expect(await refuse(join(disk.directory, 'backup.db'), 1)).toContain('database or disk is full');
  expect(readdirSync(disk.directory)).toEqual(['filler']);
  expect(existsSync(path)).toBe(true);
});
