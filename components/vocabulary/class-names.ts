import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';

export const CLASS_NAMES: Record<EndpointClass, string> = {
  auth: 'Auth',
  sensitive: 'Sensitive',
  read: 'Read',
  write: 'Write',
  lab: 'Lab',
};

export const CLASS_OPTIONS = ENDPOINT_CLASSES.map((value) => ({ value, label: CLASS_NAMES[value] }));
