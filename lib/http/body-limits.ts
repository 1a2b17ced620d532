import { ApiError } from '@/lib/http/api-error';
import type { HeaderReader } from '@/lib/http/request-head';

/** Methods whose bodies are never read. */
export const METHODS_WITHOUT_BODY: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** @param limit in bytes */
export function createTooLarge(limit: number): ApiError {
  return new ApiError('payload_too_large', `The body is larger than ${limit} bytes.`);
}

/** Largest body of most routes, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

const MIB = 1024 * 1024;

/** Largest body that Next keeps while `proxy.ts` decides, in bytes. Next cuts off the rest. */
export const MAX_PROXIED_BYTES = MIB;

/**
 * Refuses a body that Next would truncate before forwarding it to the upstream.
 * @throws ApiError payload_too_large for a body over 1 MiB, or with `Transfer-Encoding`
 */
export function requireWholeBody(headers: HeaderReader): void {
  if (headers.get('transfer-encoding') !== null)
    throw new ApiError('payload_too_large', 'A body for the server behind this gateway needs a Content-Length.');
  if (Number(headers.get('content-length') ?? 0) > MAX_PROXIED_BYTES) throw createTooLarge(MAX_PROXIED_BYTES);
}

const LARGER: Readonly<Record<string, number>> = {
  '/v1/check/batch': MIB,
  '/v1/admin/batch': MIB,
  '/v1/admin/state': 16 * MIB,
  '/v1/admin/state/plan': 16 * MIB,
};

/** Returns the largest body of one of Sluice's own routes, in bytes. */
export function getMaxBodyBytes(path: string): number {
  return LARGER[path] ?? MAX_BODY_BYTES;
}
