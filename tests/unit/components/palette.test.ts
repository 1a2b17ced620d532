import { Ban } from 'lucide-react';
import { describe, expect, it } from 'vitest';
import type { Command } from '@/components/palette/command';
import { extractName } from '@/components/palette/extract-name';
import { groupCommands, rank } from '@/components/palette/rank';
import { table } from '../../fixtures/table';

const command = (label: string, part: Partial<Command> = {}): Command => ({
  id: label,
  group: 'Any',
  label,
  icon: Ban,
  ...part,
});

const COMMANDS = [
  command('Overview', { keywords: ['home'] }),
  command('Audit log', { keywords: ['changes'] }),
  command('Theme: dark', { keywords: ['mode'] }),
  command('Demo: Store locator', { keywords: ['sk_store'] }),
  command('Rotate secret of Demo: Store locator'),
  command('Reset usage of Demo: Store locator'),
];
const found = (search: string, recent: readonly string[] = []) =>
  rank(COMMANDS, search, recent).map(({ label }) => label);

describe('what the palette finds', () => {
  table('%j', found, [
    ['overview', ['Overview']],
    ['HOME', ['Overview']],
    ['dark', ['Theme: dark']],
    ['theme', ['Theme: dark']],
    ['sk_st', ['Demo: Store locator']],
    ['rotate store', ['Rotate secret of Demo: Store locator']],
    ['locator rotate', ['Rotate secret of Demo: Store locator']],
    ['nonsense', []],
    ['store nonsense', []],
  ]);

  it('the object itself comes before what can be done with it', () => {
    expect(found('demo: store')[0]).toBe('Demo: Store locator');
  });

  it('of two that fit alike the one that was used before comes first', () => {
    expect(found('usage secret of store')).toEqual([]);
    const used = found('of demo', ['Reset usage of Demo: Store locator']);
    expect(used[0]).toBe('Reset usage of Demo: Store locator');
  });

  it('what merely looks for the text comes last, and what is about the whole text comes before what is not', () => {
    const look = command('Decisions with “demo”', { last: true });
    const whole = command('Inspect 203.0.113.7', { always: true });
    const labels = rank([look, ...COMMANDS, whole], 'demo', []).map(({ label }) => label);
    expect(labels[0]).toBe('Inspect 203.0.113.7');
    expect(labels.at(-1)).toBe('Decisions with “demo”');
  });

  it('headings stand in the order of their best command', () => {
    const groups = groupCommands([
      command('a', { group: 'B' }),
      command('b', { group: 'A' }),
      command('c', { group: 'B' }),
    ]);
    expect(groups.map(([heading, { length }]) => [heading, length])).toEqual([
      ['B', 2],
      ['A', 1],
    ]);
  });
});

describe('the name of an object in what was typed', () => {
  table('%j', extractName, [
    ['rotate secret of store', 'store'],
    ['Change tier of Hackathon team', 'Hackathon'],
    ['reset usage', ''],
    ['', ''],
  ]);
});
