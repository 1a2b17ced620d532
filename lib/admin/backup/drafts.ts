import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Suffixes of a database file and of the files that SQLite creates next to it. */
export const ENDS = ['', '-wal', '-shm', '-journal'];

const DRAFT = /^\..+\.(\d+)\.sluice-draft(-wal|-shm|-journal)?$/;

/** Names the hidden draft of a file. The process id keeps two processes from writing the same draft. */
export function nameDraft(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}.sluice-draft`);
}

/** Removes a draft, and drafts in the same folder whose process has ended. */
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
