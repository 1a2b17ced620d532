import type { StreamedAnswer } from '@/cli/exchange';
import { createUnreachableFailure, Failure } from '@/cli/failure';
import type { Output } from '@/cli/output/output';
import { writeWholeFile } from '@/cli/output/write-file';

/**
 * Streams an export to a file, see `writeWholeFile`, or to stdout.
 * @throws Failure if the connection breaks or the file cannot be written
 */
export async function exportTo(output: Output, { body }: StreamedAnswer, file: string | undefined): Promise<void> {
  if (file === undefined) {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) await output.write(decoder.decode(chunk, { stream: true }));
    } catch {
      throw describeBreak();
    }
    return;
  }
  let bytes = 0;
  async function* countBytes() {
    for await (const chunk of body) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  await writeWholeFile(file, countBytes(), 0o600).catch((fault: unknown) => {
    throw fault instanceof Failure ? fault : describeBreak();
  });
  output.note(`Wrote ${bytes} bytes to ${file}.`);
}

const describeBreak = () =>
  createUnreachableFailure('The connection broke off before the end of the export.', 'Export it again.');
