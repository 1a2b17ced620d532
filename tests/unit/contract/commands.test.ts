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

test('only endpoints of protocols have no command', () => {
  const without = CONTRACTS.filter(({ command }) => command === undefined);
  expect([...new Set(without.map(({ tag }) => tag))]).toEqual(['Decisions', 'OAuth lab']);
});
