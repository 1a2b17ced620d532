/** Paths of health and metrics. `proxy.ts` names them again, because Next reads its matcher without running code. */
export const PROBE_PATHS = ['/healthz', '/readyz', '/metrics'] as const;

/** Returns whether a path is one of health or metrics. */
export function isProbePath(path: string): boolean {
  return (PROBE_PATHS as readonly string[]).includes(path);
}
