import { expect, it } from 'vitest';
import { ENDPOINT_CLASSES, SUBJECT_ORDER } from '@/lib/limiter/meter';

it('there are four classes of endpoints, and four subjects in the order in which refusals are named', () => {
  expect(ENDPOINT_CLASSES).toEqual(['auth', 'sensitive', 'read', 'write', 'lab']);
  expect(SUBJECT_ORDER).toEqual(['ip', 'client', 'user', 'quota']);
});
