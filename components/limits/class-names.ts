import type { EndpointClass } from '@/lib/limiter/meter';

/** How the endpoint classes are written for people. */
export const CLASS_NAMES: Record<EndpointClass, string> = {
  auth: 'Auth',
  sensitive: 'Sensitive',
  read: 'Read',
  write: 'Write',
};
