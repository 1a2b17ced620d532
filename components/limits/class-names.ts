import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';

/** Endpoint classes as the screens name them. */
export const CLASS_NAMES: Record<EndpointClass, string> = {
  auth: 'Auth',
  sensitive: 'Sensitive',
  read: 'Read',
  write: 'Write',
};

/** To choose a class from. */
export const CLASS_OPTIONS = ENDPOINT_CLASSES.map((value) => ({ value, label: CLASS_NAMES[value] }));
