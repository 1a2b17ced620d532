import { parseAndValidateFlightRouterState } from 'next/dist/server/app-render/parse-and-validate-flight-router-state';
import { expect, it } from 'vitest';
import { isRouterState } from '@/lib/http/router-state';

/** Whether Next can read a header. If not, it answers 500. */
function isReadByNext(header: string): boolean {
  try {
    parseAndValidateFlightRouterState(header);
    return true;
  } catch {
    return false;
  }
}

const TYPES = [
  'c',
  'oc',
  'd',
  ...['c', 'd'].flatMap((type) => ['(.)', '(..)', '(..)(..)', '(...)'].map((way) => `${type}i${way}`)),
];
const PARTS = [
  undefined,
  null,
  0,
  1.5,
  true,
  '',
  'refetch',
  'inside-shared-layout',
  'metadata-only',
  'x',
  [],
  ['a'],
  ['a', 'b'],
  ['a', 'b', 'c'],
  {},
];
const parameter = (type: unknown, siblings: unknown = null) => ['id', '1', type, siblings];
const SEGMENTS = [
  ...[
    '',
    '__PAGE__',
    1,
    null,
    [],
    ['id', '1', 'd'],
    ['id', '1', 'd', null, null],
    ['id', 1, 'd', null],
    [1, '1', 'd', null],
  ],
  ...[...TYPES, 'di', 'x', 'oci', 'di(....)', 1, null].map((type) => parameter(type)),
  ...[['a'], [1], 'a', undefined, {}].map((siblings) => parameter('d', siblings)),
];
const CHILDREN = [
  {},
  [],
  null,
  'x',
  { children: ['', {}] },
  { children: 1 },
  { a: ['', {}], b: ['', {}, 1] },
  { children: ['', { children: [] }] },
];

it('accepts exactly the router states that Next can read', () => {
  const states = [
    ...SEGMENTS.map((segment) => [segment, {}]),
    ...CHILDREN.map((children) => ['', children]),
    ...[2, 3, 4, 5, 6].flatMap((at) =>
      PARTS.map((part) => {
        const state: unknown[] = ['', {}, null, null, null];
        state[at] = part;
        return at === 6 ? [...state.slice(0, 5), '', part] : state;
      }),
    ),
    ...[[], [''], {}, null, 1, 'x'],
  ];
  const headers = [...states.map((state) => encodeURIComponent(JSON.stringify(state))), '', '%', '%ff', 'x', '["",{}]'];
  const read = headers.map(isReadByNext);
  expect(read.filter((is) => is).length).toBeGreaterThan(20);
  expect(headers.filter((header, at) => isRouterState(header) !== read[at])).toEqual([]);
});
