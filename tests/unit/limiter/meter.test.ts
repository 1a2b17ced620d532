import { expect, it } from 'vitest';
import { ENDPOINT_CLASSES, SUBJECT_ORDER } from '@/lib/limiter/meter';

it('there are five classes of endpoints, and five subjects in the order in which refusals are named', () => {
  expect(ENDPOINT_CLASSES).toEqual(['auth', 'sensitive', 'read', 'write', 'lab']);
  expect(SUBJECT_ORDER).toEqual(['ip', 'client', 'user', 'limit', 'quota']);
});
