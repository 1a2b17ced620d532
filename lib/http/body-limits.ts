/** Largest body that most routes read, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

const MIB = 1024 * 1024;
const LARGER: Readonly<Record<string, number>> = {
  '/v1/check/batch': MIB,
  '/v1/admin/batch': MIB,
  '/v1/admin/state': 16 * MIB,
  '/v1/admin/state/plan': 16 * MIB,
};

/** Largest body of one of Sluice's own routes, in bytes. */
export function maxBodyBytes(path: string): number {
  return LARGER[path] ?? MAX_BODY_BYTES;
}
