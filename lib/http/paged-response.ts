import type { Context } from '@/lib/operation/operation';

/** How the pages of a list become one text. */
export interface PageText<T> {
  opening: string;
  page(items: readonly T[]): string;
  between: string;
  closing: string;
}

/** Reads one page after another; undefined after the last. A page may be empty. */
export type Pages<T> = () => Promise<readonly T[] | undefined>;

/**
 * A list of any length, written page by page as the caller takes it: memory holds the text of a page, however long the
 * list is and however slow its reader. The first page is read before the answer begins, so a fault there is an error
 * answer. A fault later is logged and breaks the connection, so that nobody takes a part for the whole.
 *
 * No transaction is held open meanwhile. Pages are read by position, so each row that stays as it is comes exactly once;
 * rows that are added, removed or moved by a change meanwhile may be in the answer or not.
 *
 * @param pages nothing is read that the caller has not come to
 */
export async function pagedResponse<T>(
  { services, requestId }: Context,
  pages: Pages<T>,
  form: PageText<T>,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const encoder = new TextEncoder();
  let before = form.opening;
  let ended = false;
  // Not a generator: one that waits for its reader holds the page from which the text was made.
  const read = async (): Promise<Uint8Array> => {
    let page = await pages();
    while (page?.length === 0) page = await pages();
    const text = page === undefined ? (before === form.between ? '' : before) + form.closing : before + form.page(page);
    before = form.between;
    ended = page === undefined;
    return encoder.encode(text);
  };
  let first: Uint8Array | null = await read();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const text = first ?? (await read());
          first = null;
          if (text.byteLength > 0) controller.enqueue(text);
          if (ended) controller.close();
        } catch (fault) {
          services.logger.error({ requestId, err: fault }, 'an answer was broken off');
          // Under this name Next breaks the connection without a word of its own.
          throw new DOMException('The answer was broken off.', 'AbortError');
        }
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...headers },
  });
}
