import { acceptRequestId } from '@/lib/http/header-fields';
import type { HeaderReader } from '@/lib/http/request-head';

export const REQUEST_ID_HEADER = 'x-request-id';

/** Returns the request id of the caller's header if it is safe, else a new one. */
export function readRequestId(headers: HeaderReader): string {
  return acceptRequestId(headers.get(REQUEST_ID_HEADER));
}
