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
 * is and however slow its reader. The first two pages are read before the answer begins, so a fault there is an error
 * answer, and a list that ends there has its `Content-Length`. A fault later is logged and breaks the connection, so
 * that nobody takes a part for the whole.
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
  const first = await texts.next();
  const second = first.done === true ? null : await texts.next();
  const init = { headers: { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff', ...headers } };
  if (second === null || second.done === true) {
    const whole = encoder.encode(`${first.value}${second?.value ?? ''}`);
    return new Response(whole, { headers: { ...init.headers, 'Content-Length': String(whole.byteLength) } });
  }
  const ready = [first, second];
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = ready.shift() ?? (await texts.next());
          if (next.value !== '') controller.enqueue(encoder.encode(next.value));
          if (next.done === true) controller.close();
        } catch (fault) {
          services.logger.error({ requestId, err: fault }, 'an answer was broken off');
          throw fault;
        }
      },
      async cancel() {
        await texts.return('');
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, init);
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
