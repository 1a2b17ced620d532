import { closeSync, createWriteStream, openSync, realpathSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createUsageFailure } from '@/cli/failure';

/**
 * Writes a file that appears only once it is complete. If the disk is full, an earlier file stays as it was. A device or
 * a pipe, such as `/dev/stdout`, is written to directly, because a rename would replace it.
 * @param mode permissions of a new file; an earlier file keeps its own
 * @throws Failure if the file cannot be written; faults of the content as they are
 */
export async function writeWholeFile(
  file: string,
  content: Iterable<string> | AsyncIterable<Uint8Array>,
  mode = 0o666,
): Promise<void> {
  let contentFault: unknown;
  async function* readContent() {
    try {
      yield* content;
    } catch (fault) {
      contentFault = fault;
      throw fault;
    }
  }
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found?.isFile() === false) return await pipeline(readContent, createWriteStream(file));
    const target = found === undefined ? file : realpathSync(file);
    const part = `${target}.part`;
    try {
      await pipeline(readContent, createWriteStream(part, { mode: found?.mode ?? mode }));
      await rename(part, target);
    } finally {
      await rm(part, { force: true });
    }
  } catch (fault) {
    if (contentFault !== undefined) throw contentFault;
    throw createWriteFailure(file, fault);
  }
}

/** Fails early if a file cannot be written. Creates it if it is missing, and does not change it. @throws Failure */
export function requireWritable(file: string): void {
  try {
    closeSync(openSync(file, 'a'));
  } catch (fault) {
    throw createWriteFailure(file, fault);
  }
}

const createWriteFailure = (file: string, fault: unknown) =>
  createUsageFailure(`${file} cannot be written (${String((fault as NodeJS.ErrnoException).code)}).`);
