import { acceptRequestId } from '@/lib/http/header-fields';
import type { HeaderReader } from '@/lib/http/request-head';

export const REQUEST_ID_HEADER = 'x-request-id';

/** The request id of the caller's header, or a new one. */
export function requestIdOf(headers: HeaderReader): string {
  return acceptRequestId(headers.get(REQUEST_ID_HEADER));
}
