import { describe, expect, it } from 'vitest';
import { parseNumber } from '@/components/form/fields/number-input';
import { chooseUnit } from '@/components/form/fields/window-input';
import {
  describeDryRunEffect,
  describeLimitEffect,
  formatBounds,
  formatRoughBounds,
  nameDryRunLimit,
} from '@/components/limits/limit-words';
import { listPolicyChanges, namePolicyField } from '@/components/limits/policy-changes';
import { describeAllowedRange } from '@/components/limits/policy-form-values';
import { buildMergePatch } from '@/components/policies/policies';
import { nameRuleField } from '@/components/route-rules/route-rule-values';

import { DEFAULT_POLICIES, type Policies } from '@/lib/contract/policies';
import type { DryRunLimit } from '@/lib/contract/policies-dry-run';
import { table } from '../../fixtures/table';

describe('what a limit means', () => {
  table('%d in %d s: %s', describeLimitEffect, [
    [6, 60, '6 in 1 min, about one every 10 s'],
    [5_000, 3_600, '5,000 in 1 h, about 1.4 a second'],
    [1, 1, '1 in 1 s, about one every 1 s'],
    [0, 60, 'Refuses every request'],
    [-1, 60, ''],
    [1.5, 60, ''],
    [Number.NaN, 60, ''],
    [10, 0, ''],
    [10, Number.POSITIVE_INFINITY, ''],
  ]);
});

describe('the changes of a form, as a JSON merge patch', () => {
  const policies = {
    classes: { read: { ip: { limit: 100, window_seconds: 60 }, on_store_failure: 'local' } },
    tiers: { free: 1_000 },
  };

  it('nothing, when nothing was changed', () => {
    expect(buildMergePatch(policies, structuredClone(policies))).toBeUndefined();
    expect(buildMergePatch({}, {})).toBeUndefined();
    expect(buildMergePatch({ origins: ['a', 'b'] }, { origins: ['a', 'b'] })).toBeUndefined();
    expect(buildMergePatch({ origins: ['a', 'b'] }, { origins: ['a'] })).toEqual({ origins: ['a'] });
    expect(buildMergePatch({ origins: ['a'] }, { origins: [] })).toEqual({ origins: [] });
  });

  it('only what differs, as deep as it stands', () => {
    const after = structuredClone(policies);
    after.classes.read.ip.limit = 50;
    expect(buildMergePatch(policies, after)).toEqual({ classes: { read: { ip: { limit: 50 } } } });
    after.tiers.free = 0;
    expect(buildMergePatch(policies, after)).toEqual({ classes: { read: { ip: { limit: 50 } } }, tiers: { free: 0 } });
  });

  it('undone by hand is no change', () => {
    const after = { ...policies, tiers: { free: 7 } };
    expect(buildMergePatch(policies, { ...after, tiers: { free: 1_000 } })).toBeUndefined();
  });

  it('tells 0, null, false and the empty text apart', () => {
    const before = { a: 0, b: null, c: false, d: '' };
    expect(buildMergePatch(before, { a: null, b: 0, c: '', d: false })).toEqual({ a: null, b: 0, c: '', d: false });
    expect(buildMergePatch({ a: { b: 1 } }, { a: null })).toEqual({ a: null });
    expect(buildMergePatch({ a: null }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
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
const effectOf = (part: Partial<DryRunLimit> = {}) => describeDryRunEffect(limit(part));

describe('a dry-run in words', () => {
  it('the new number first, then the old one, out of the requests of this limit', () => {
    expect(effectOf()).toEqual({ effect: '80 refused instead of 30 (of 130 units)', who: '1 address:' });
  });

  it('rounded, where only bounds are known, and both bounds where they are far apart', () => {
    expect(effectOf({ in_force: refusals(60, 78, 1), changed: refusals(96, 106, 1), requests: 250 })).toEqual({
      effect: 'about 100 refused instead of about 70 (of 250 units)',
      who: '1 address:',
    });
    expect(
      effectOf({ requests_not_followed: 1_000, changed: refusals(80, 1_080, 3), in_force: refusals(0, 0, 0) }),
    ).toEqual({
      effect: '80 to 1,080 refused instead of 0 (of 1,130 units)',
      who: '3 addresses, most of all',
    });
  });

  it('that refuses nobody names nobody', () => {
    expect(effectOf({ changed: refusals(0, 0, 0), requests: 1 })).toEqual({
      effect: '0 refused instead of 30 (of 1 unit)',
      who: null,
    });
  });

  it('that changes nothing says so', () => {
    const nothing = refusals(0, 0, 0);
    expect(effectOf({ changed: nothing, in_force: nothing }).effect).toBe('nothing refused, unchanged (of 130 units)');
    expect(effectOf({ changed: refusals(30, 30, 1) }).effect).toBe('30 refused, unchanged (of 130 units)');
  });

  table('the subject %s is %s', (subject: DryRunLimit['subject']) => effectOf({ subject }).who, [
    ['user', '1 user:'],
    ['client', '1 client:'],
    ['quota', '1 API key:'],
  ]);

  table('%d to %d is "%s"', (least: number, most: number) => formatRoughBounds(total(least, most)), [
    [7, 7, '7'],
    [9, 10, 'about 10'],
    [95, 105, 'about 100'],
    [9_950, 10_060, 'about 10,000'],
    [0, 10, '0 to 10'],
  ]);

  it('writes a range only where there is one', () => {
    expect([formatBounds(total(0)), formatBounds(total(1_000, 2_000))]).toEqual(['0', '1,000 to 2,000']);
  });
});

describe('the unsaved changes of the policies', () => {
  const changesBy = (change: (policies: Policies) => void) => {
    const values = structuredClone(DEFAULT_POLICIES);
    change(values);
    return listPolicyChanges(DEFAULT_POLICIES, values);
  };

  it('name the limit, and the window once when it stays', () => {
    expect(
      changesBy(({ classes }) => {
        classes.auth.ip.limit = 4;
      }),
    ).toEqual([{ path: 'classes.auth.ip', label: 'Auth, per address', before: '10', after: '4 in 1 min' }]);
  });

  it('count limit and window as one change, and name both windows', () => {
    const changes = changesBy(({ global }) => {
      global.limit = 5_000;
      global.window_seconds = 300;
    });
    expect(changes).toEqual([
      { path: 'global', label: 'Global throttle', before: '1,000 in 1 s', after: '5,000 in 5 min' },
    ]);
  });

  it('put what happens without the store, and tiers, into words', () => {
    const changes = changesBy(({ classes, tiers }) => {
      classes.read.on_store_failure = 'closed';
      tiers.free = 2_000;
    });
    expect(changes.map(({ label, before, after: now }) => `${label}: ${before} to ${now}`)).toEqual([
      'Read, if the store is down: allow half to answer 503',
      'Free tier: 1,000 to 2,000',
    ]);
  });

  it('wait for a number that is still being typed', () => {
    const [change] = changesBy(({ classes }) => {
      classes.read.ip.limit = Number.NaN;
    });
    expect(change?.after).toBe('…');
  });
});

describe('what cannot be saved', () => {
  table('%o: %s', (path: readonly string[]) => describeAllowedRange(path), [
    [['classes', 'auth', 'ip', 'limit'], 'Enter a whole number from 0 to 1,000,000,000.'],
    [['classes', 'auth', 'ip', 'window_seconds'], 'Enter a window from 1 s to 31 d, in whole seconds.'],
    [['tiers', 'free'], 'Enter a whole number, 0 or more.'],
  ]);

  table('%s is named %s', namePolicyField, [
    ['classes.auth.ip.window_seconds', 'Auth, per address, window'],
    ['clients.public.limit', 'Public clients, requests'],
    ['tiers.free', 'Free tier'],
  ]);

  table('%s is named %s', nameRuleField, [
    ['rules.2.path', 'Path of rule 3'],
    ['rules.0.cost', 'Cost of rule 1'],
    ['rules', 'Rules'],
  ]);
});

describe('what is typed as a number', () => {
  table('%s is %d', parseNumber, [
    ['5,000', 5_000],
    ['5 000', 5_000],
    ['1.5', 1.5],
    ['-1', -1],
    ['', Number.NaN],
    ['1 min', Number.NaN],
    ['1e3', Number.NaN],
  ]);

  table('%d seconds are shown in units of %d', chooseUnit, [
    [60, 60],
    [90, 1],
    [3_600, 3_600],
    [86_400, 86_400],
    [0, 1],
    [Number.NaN, 1],
  ]);
});

describe('the name of a limit', () => {
  table('%o is %s', (part: Partial<DryRunLimit>) => nameDryRunLimit(limit(part)), [
    [{ path: 'classes.read.ip', subject: 'ip', class: 'read' }, 'Read per address'],
    [{ path: 'classes.sensitive.user', subject: 'user', class: 'sensitive' }, 'Sensitive per user'],
    [{ path: 'clients.confidential', subject: 'client', class: null }, 'Confidential clients'],
    [{ path: 'tiers.free', subject: 'quota', class: null }, 'Free tier'],
    [{ path: 'tiers.other', subject: 'quota', class: null }, 'other tier'],
  ]);
});
