import { ReadableStream as NodeReadableStream } from 'node:stream/web';

/** `ReadableStream.from` (WHATWG Streams, section 4.2.2): nothing is asked of `chunks` that the reader has not taken. */
export function streamOf(chunks: AsyncIterable<Uint8Array>): ReadableStream {
  return NodeReadableStream.from(chunks) as ReadableStream;
}
