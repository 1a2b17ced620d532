import { expect, test } from 'vitest';
import { CONTRACTS } from '@/lib/contract/contracts';

const named = CONTRACTS.flatMap(({ command }) => command ?? []);

test('no two operations have one command', () => {
  expect(named.toSorted()).toEqual([...new Set(named)].toSorted());
});

test('a command is a noun and a verb, in lower case, and none is the group of another', () => {
  for (const command of named) {
    expect(command).toMatch(/^[a-z]+(-[a-z]+)*( [a-z]+(-[a-z]+)*)?$/);
    expect(named.filter((other) => other.startsWith(`${command} `))).toEqual([]);
  }
});

test('only what others call by a protocol has no command: gateways, and clients of the lab', () => {
  const without = CONTRACTS.filter(({ command }) => command === undefined).map(({ path }) => path);
  expect(without.filter((path) => path.startsWith('/v1/') && !path.startsWith('/v1/forward-auth'))).toEqual([]);
});
