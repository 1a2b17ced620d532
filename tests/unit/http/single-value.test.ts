import { describe } from 'vitest';
import { readSingleValue } from '@/lib/http/request-head';
import { table } from '../../fixtures/table';

describe('a header that may come once', () => {
  table('%j is %j', readSingleValue, [
    [null, null],
    ['', null],
    [' , ,', null],
    ['key', 'key'],
    [' key ', 'key'],
    ['key, key', 'key'],
    ['key,', 'key'],
    ['key, other', 'several'],
    ['key,other,key', 'several'],
  ]);
});
