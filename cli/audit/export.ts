import { createWriteStream, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StreamedAnswer } from '@/cli/exchange';
import { createUnreachableFailure, createUsageFailure } from '@/cli/failure';
import type { Output } from '@/cli/output/output';

/**
 * Streams an export to a file or to stdout. The file appears only once it is complete. A device or a pipe, such as
 * `/dev/stdout`, is written to, because a rename would replace it.
 * @throws Failure if the connection breaks or the file cannot be written
 */
export async function exportTo(output: Output, { body }: StreamedAnswer, file: string | undefined): Promise<void> {
  const chunks = Readable.from(body);
  if (file === undefined) {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of chunks) await output.write(decoder.decode(chunk, { stream: true }));
    } catch {
      throw describeBreak();
    }
    return;
  }
  const isStream = statSync(file, { throwIfNoEntry: false })?.isFile() === false;
  const part = isStream ? file : `${file}.part`;
  let bytes = 0;
  chunks.on('data', (chunk: Uint8Array) => {
    bytes += chunk.length;
  });
  try {
    await pipeline(chunks, createWriteStream(part, { mode: 0o600 }));
    if (!isStream) await rename(part, file);
  } catch (fault) {
    if (!isStream) await rm(part, { force: true });
    const isFile = fault instanceof Error && 'syscall' in fault && 'path' in fault;
    throw isFile
      ? createUsageFailure(`${file} cannot be written (${String((fault as NodeJS.ErrnoException).code)}).`)
      : describeBreak();
  }
  output.note(`Wrote ${bytes} bytes to ${file}.`);
}

const describeBreak = () =>
  createUnreachableFailure('The connection broke off before the end of the export.', 'Export it again.');
