import type { Services } from '@/lib/operation/services';
import { bridge } from '@/lib/process/bridge';

/**
 * Returns the services of this process. They are created at the first call, and again after a failed call. Pages, routes
 * and `proxy.ts` are bundled separately. Usually `instrumentation.ts` has created the services, and the others never load
 * what creates them.
 */
export function loadServices(): Promise<Services> {
  if (bridge.services !== undefined) return bridge.services;
  const starting = import('@/lib/process/start-services').then(({ startServices }) => startServices());
  bridge.services = starting;
  starting.catch(() => {
    bridge.services = undefined;
  });
  return starting;
}
