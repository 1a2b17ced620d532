import { type Pages, pagedResponse } from '@/lib/http/paged-response';
import type { Context } from '@/lib/operation/operation';

/** A JSON array of any length; see `pagedResponse`. */
export function jsonArrayResponse(context: Context, pages: Pages<unknown>): Promise<Response> {
  const form = {
    opening: '[',
    page: (items: readonly unknown[]) => JSON.stringify(items).slice(1, -1),
    between: ',',
    closing: ']',
  };
  return pagedResponse(context, pages, form, { 'Content-Type': 'application/json; charset=utf-8' });
}
