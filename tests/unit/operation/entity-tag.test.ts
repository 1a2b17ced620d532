import { expect, test } from 'vitest';
import { buildDocumentTag, buildRevisionTag, requireMatch } from '@/lib/operation/entity-tag';
import { table } from '../../fixtures/table';

function attempt(header: string | null): string {
  try {
    const { headers } = new Request('http://x', header === null ? {} : { headers: { 'If-Match': header } });
    requireMatch(headers.get('If-Match'), buildRevisionTag(7));
    return 'goes on';
  } catch (error) {
    return (error as { code: string }).code;
  }
}

table('If-Match: %s %s', attempt, [
  [null, 'goes on'],
  ['*', 'goes on'],
  ['"7"', 'goes on'],
  ['"6", "7"', 'goes on'],
  [' * ', 'goes on'],
  ['"6",,\t"7" ,', 'goes on'],
  ['"6,", "7"', 'goes on'],
  ['W/"7", "7"', 'goes on'],
  ['"6"', 'precondition_failed'],
  ['W/"7"', 'precondition_failed'],
  ['""', 'precondition_failed'],
  ['"6,7"', 'precondition_failed'],
  ['"6, "', 'invalid_request'],
  ['"\xe4"', 'precondition_failed'],
  ['7', 'invalid_request'],
  ['', 'invalid_request'],
  ['"7', 'invalid_request'],
  ['"7", *', 'invalid_request'],
  ['*, "7"', 'invalid_request'],
  ['"7" "7"', 'invalid_request'],
  ['w/"7"', 'invalid_request'],
  ["'7'", 'invalid_request'],
  [',', 'invalid_request'],
]);

test('documents have the same tag when they are the same', () => {
  expect(buildDocumentTag({ a: 1 })).toBe(buildDocumentTag({ a: 1 }));
  expect(buildDocumentTag({ a: 1 })).not.toBe(buildDocumentTag({ a: 2 }));
});
