import type { IncomingMessage } from 'node:http';
import { PEER_HEADER } from '@/lib/http/client-address';
import { acceptRequestId } from '@/lib/http/header-fields';
import { REQUEST_ID_HEADER } from '@/lib/http/request-id';

/**
 * Sets the request's id and the address of its socket, and overwrites these headers of the client.
 * @param nonce nonce of this process
 * @returns the id
 */
export function setIdentityHeaders({ headers, socket }: IncomingMessage, nonce: string): string {
  const requestId = acceptRequestId(headers[REQUEST_ID_HEADER]);
  headers[REQUEST_ID_HEADER] = requestId;
  headers[PEER_HEADER] = `${nonce} ${socket.remoteAddress ?? ''}`;
  return requestId;
}
