import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A file and what SQLite keeps beside it. */
export const ENDS = ['', '-wal', '-shm', '-journal'];

const DRAFT = /^\..+\.(\d+)\.sluice-draft(-wal|-shm|-journal)?$/;

/** A hidden name for a file that is not whole yet: of this process, so that two do not write the same. */
export function draftOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.sluice-draft`);
}

/** Removes a draft, and those beside it that processes left which were killed. */
export function removeDrafts(draft: string): void {
  const folder = dirname(draft);
  for (const end of ENDS) rmSync(draft + end, { force: true });
  for (const name of readdirSync(folder)) {
    const [, pid] = DRAFT.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
