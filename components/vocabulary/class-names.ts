import { ENDPOINT_CLASSES, type EndpointClass } from '@/lib/limiter/meter';

export const CLASS_NAMES: Record<EndpointClass, string> = {
  auth: 'Auth',
  sensitive: 'Sensitive',
  read: 'Read',
  write: 'Write',
  lab: 'Lab',
};

/** Names a class. Without a class, only named limits decided: returns the name of the limit, if there is one. */
export function nameClassOrLimit(name: EndpointClass | null, limitName?: string | null): string {
  return name === null ? (limitName ?? 'Named limits') : CLASS_NAMES[name];
}

export const CLASS_OPTIONS = ENDPOINT_CLASSES.map((value) => ({ value, label: CLASS_NAMES[value] }));
