import type { Context } from '@/lib/http/operation';

/** How the pages of a list become one text. */
export interface PageText<T> {
  opening: string;
  page(items: readonly T[]): string;
  between: string;
  closing: string;
}

/**
 * A list of any length, written page by page as the caller takes it: memory holds a page or two, however long the list
 * is and however slow its reader. The first page is read before the answer begins, so a fault there is an error answer.
 * A fault later is logged and breaks the connection, so that nobody takes a part for the whole.
 *
 * No transaction is held open meanwhile. Pages are read by position, so each row that stays as it is comes exactly once;
 * rows that are added, removed or moved by a change meanwhile may be in the answer or not.
 *
 * @param pages reads one page after another; nothing is read that the caller has not come to
 */
export async function pagedResponse<T>(
  { services, requestId }: Context,
  pages: AsyncIterable<readonly T[]>,
  form: PageText<T>,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const encoder = new TextEncoder();
  const texts = textsOf(pages, form);
  let first: IteratorResult<string, string> | null = await texts.next();
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = first ?? (await texts.next());
          first = null;
          if (next.value !== '') controller.enqueue(encoder.encode(next.value));
          if (next.done === true) controller.close();
        } catch (fault) {
          services.logger.error({ requestId, err: fault }, 'an answer was broken off');
          // Under this name Next breaks the connection without a word of its own.
          throw new DOMException('The answer was broken off.', 'AbortError');
        }
      },
      async cancel() {
        await texts.return('');
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...headers },
  });
}

/** A text for each page that has items; what is returned at the end closes the last one. */
async function* textsOf<T>(pages: AsyncIterable<readonly T[]>, form: PageText<T>): AsyncGenerator<string, string> {
  let before = form.opening;
  for await (const page of pages) {
    if (page.length === 0) continue;
    yield before + form.page(page);
    before = form.between;
  }
  return before === form.between ? form.closing : before + form.closing;
}
