import { describe, expect, it } from 'vitest';
import { dryRunWords, limitEffect, limitName, rangeWords } from '@/components/limits/limit-words';
import { changesOf } from '@/components/limits/policies';
import type { DryRun, DryRunLimit } from '@/lib/contract/policies';
import { table } from '../../fixtures/table';

describe('what a limit means', () => {
  table('%d in %d s: %s', limitEffect, [
    [6, 60, '6 in 1 min, about one every 10 s'],
    [5_000, 3_600, '5,000 in 1 h, about 1.4 a second'],
    [1, 1, '1 in 1 s, about one every 1 s'],
    [0, 60, 'Refuses every request.'],
    [-1, 60, 'Enter whole numbers.'],
    [1.5, 60, 'Enter whole numbers.'],
    [Number.NaN, 60, 'Enter whole numbers.'],
    [10, 0, 'Enter whole numbers.'],
    [10, Number.POSITIVE_INFINITY, 'Enter whole numbers.'],
  ]);
});

describe('the changes of a form, as a JSON merge patch', () => {
  const policies = {
    classes: { read: { ip: { limit: 100, window_seconds: 60 }, on_store_failure: 'local' } },
    tiers: { free: 1_000 },
  };

  it('nothing, when nothing was changed', () => {
    expect(changesOf(policies, structuredClone(policies))).toBeUndefined();
    expect(changesOf({}, {})).toBeUndefined();
  });

  it('only what differs, as deep as it stands', () => {
    const after = structuredClone(policies);
    after.classes.read.ip.limit = 50;
    expect(changesOf(policies, after)).toEqual({ classes: { read: { ip: { limit: 50 } } } });
    after.tiers.free = 0;
    expect(changesOf(policies, after)).toEqual({ classes: { read: { ip: { limit: 50 } } }, tiers: { free: 0 } });
  });

  it('undone by hand is no change', () => {
    const after = { ...policies, tiers: { free: 7 } };
    expect(changesOf(policies, { ...after, tiers: { free: 1_000 } })).toBeUndefined();
  });

  it('tells 0, null, false and the empty text apart', () => {
    const before = { a: 0, b: null, c: false, d: '' };
    expect(changesOf(before, { a: null, b: 0, c: '', d: false })).toEqual({ a: null, b: 0, c: '', d: false });
    expect(changesOf({ a: { b: 1 } }, { a: null })).toEqual({ a: null });
    expect(changesOf({ a: null }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
  });
});

const total = (least: number, most = least) => ({ at_least: least, at_most: most });
const refusals = (least: number, most: number, identifiers: number) => ({
  ...total(least, most),
  identifiers: total(identifiers),
});
const limit = (part: Partial<DryRunLimit> = {}): DryRunLimit => ({
  path: 'classes.read.ip',
  subject: 'ip',
  class: 'read',
  requests: 130,
  requests_not_followed: 0,
  history_short: false,
  in_force: refusals(30, 30, 1),
  changed: refusals(80, 80, 1),
  most_refused: [],
  ...part,
});
const run = (part: Partial<DryRun> = {}): DryRun => ({
  from: '2026-11-20T11:00:00.000Z',
  to: '2026-11-20T12:00:00.000Z',
  known_from: '2026-11-20T11:10:00.000Z',
  requests: 500,
  refused: 30,
  limits: [limit()],
  in_force: total(30),
  changed: total(80),
  not_replayed: [],
  ...part,
});

describe('a dry-run in words', () => {
  it('of one limit: out of its own requests, and of how many identifiers', () => {
    expect(dryRunWords(run())).toBe(
      'In the last hour, 80 of 130 requests of 1 identifier would have been refused, instead of 30.',
    );
  });

  it('as bounds, where only bounds are known', () => {
    const limits = [limit({ requests_not_followed: 1_000, changed: refusals(80, 1_080, 3) })];
    expect(dryRunWords(run({ limits, changed: total(80, 1_080), in_force: total(0) }))).toBe(
      'In the last hour, 80 to 1,080 of 1,130 requests of 3 identifiers would have been refused, instead of 0.',
    );
  });

  it('of several limits: out of all requests', () => {
    const limits = [limit(), limit({ path: 'tiers.free', subject: 'quota', class: null })];
    expect(dryRunWords(run({ limits, requests: 1 }))).toBe(
      'In the last hour, 80 of 1 request would have been refused, instead of 30.',
    );
  });

  it('that refuses nobody names nobody', () => {
    expect(dryRunWords(run({ limits: [limit({ changed: refusals(0, 0, 0) })], changed: total(0) }))).toBe(
      'In the last hour, 0 of 130 requests would have been refused, instead of 30.',
    );
  });

  it('says what could not be tried', () => {
    expect(dryRunWords(run({ known_from: null }))).toBe('There was no traffic in the last hour to replay.');
    expect(dryRunWords(run({ limits: [], not_replayed: ['global', 'classes.auth.on_store_failure'] }))).toBe(
      'This part of the policies cannot be replayed on past traffic. Not replayed: the global throttle, the behavior while the store is down.',
    );
  });

  it('writes a range only where there is one', () => {
    expect([rangeWords(total(0)), rangeWords(total(1_000, 2_000))]).toEqual(['0', '1,000 to 2,000']);
  });
});

describe('the name of a limit', () => {
  table('%o is %s', (part: Partial<DryRunLimit>) => limitName(limit(part)), [
    [{ path: 'classes.read.ip', subject: 'ip', class: 'read' }, 'Read per address'],
    [{ path: 'classes.sensitive.user', subject: 'user', class: 'sensitive' }, 'Sensitive per user'],
    [{ path: 'clients.confidential', subject: 'client', class: null }, 'Confidential clients'],
    [{ path: 'tiers.free', subject: 'quota', class: null }, 'Free tier'],
    [{ path: 'tiers.other', subject: 'quota', class: null }, 'other tier'],
  ]);
});
