import { describe } from 'vitest';
import { singleValue } from '@/lib/http/request-head';
import { table } from '../../fixtures/table';

describe('a header that may come once', () => {
  table('%j is %j', singleValue, [
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
