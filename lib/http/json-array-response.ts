/**
 * A JSON array that may be long: written chunk by chunk, so that no single step holds the process up. All of it is read
 * before the answer begins, so a fault while reading is still an error of its own.
 */
export async function jsonArrayResponse(chunks: AsyncIterable<readonly unknown[]>): Promise<Response> {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = [];
  let length = 0;
  const add = (text: string) => {
    const part = encoder.encode(text);
    length += part.byteLength;
    parts.push(part);
  };
  let opening = '[';
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue;
    add(opening + JSON.stringify(chunk).slice(1, -1));
    opening = ',';
  }
  add(opening === '[' ? '[]' : ']');

  let next = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = parts[next];
      if (part === undefined) controller.close();
      else controller.enqueue(part);
      next += 1;
    },
  });
  return new Response(body, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': String(length),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  });
}
