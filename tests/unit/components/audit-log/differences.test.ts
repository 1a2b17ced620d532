import { describe, expect, it } from 'vitest';
import { computeDifferences } from '@/components/audit-log/differences';
import { DEFAULT_POLICIES } from '@/lib/contract/policies';

describe('what a change has changed', () => {
  it('is the values that are others, by their names', () => {
    const key = {
      id: '1',
      name: 'billing',
      tier: 'free',
      overage_allowed: false,
      created_by: 'owner',
      expires_at: null,
    };
    const after = { ...key, tier: 'starter', overage_allowed: true, expires_at: '2026-12-01T00:00:00.000Z' };
    expect(computeDifferences(key, after)).toEqual([
      { label: 'Tier', before: 'Free', after: 'Starter' },
      { label: 'Overage', before: 'not allowed', after: 'allowed' },
      { label: 'Ends', before: 'never', after: '2026-12-01T00:00:00.000Z' },
    ]);
  });

  it('of the policies is the limit, as one value, and not the document', () => {
    const { classes, tiers } = DEFAULT_POLICIES;
    const after = {
      ...DEFAULT_POLICIES,
      classes: {
        ...classes,
        auth: { ...classes.auth, ip: { limit: 4, window_seconds: 60 } },
        read: { ...classes.read, on_store_failure: 'closed' },
      },
      clients: { ...DEFAULT_POLICIES.clients, public: { limit: 30, window_seconds: 90 } },
      tiers: { ...tiers, free: 2000 },
    };
    expect(computeDifferences(DEFAULT_POLICIES, after)).toEqual([
      { label: 'Auth, per address', before: '10 in 1 min', after: '4 in 1 min' },
      { label: 'Read, if the store is down', before: 'allow half', after: 'answer 503' },
      { label: 'Public clients', before: '30 in 1 min', after: '30 in 90 s' },
      { label: 'Free tier', before: '1,000', after: '2,000' },
    ]);
  });

  it('of an override that was made is what it says; of one that was removed, what it said', () => {
    const override = {
      id: '1',
      type: 'ip',
      identifier: '203.0.113.9',
      class: 'read',
      limit: 250,
      window_seconds: 3600,
      reason: 'crawler',
      expires_at: null,
    };
    const made = computeDifferences(null, override);
    expect(made).toEqual([
      { label: 'Class', before: null, after: 'Read' },
      { label: 'Reason', before: null, after: 'crawler' },
      { label: 'Limit', before: null, after: '250 in 1 h' },
    ]);
    expect(computeDifferences(override, null)).toEqual(
      made.map(({ label, before, after }) => ({ label, before: after, after: before })),
    );
  });

  it('of a list is what was added, removed and moved', () => {
    const rule = (path: string, cost = 1) => ({ method: 'GET', path, class: 'read', cost });
    expect(computeDifferences([rule('/a'), rule('/b'), rule('/c')], [rule('/b'), rule('/c', 5), rule('/a')])).toEqual([
      { label: 'Position of GET /a is Read', before: '1', after: '3' },
      { label: 'Removed', before: 'GET /c is Read', after: null },
      { label: 'Added', before: null, after: 'GET /c is Read, costs 5' },
    ]);
  });

  it('is nothing where nothing was', () => {
    expect(computeDifferences(null, null)).toEqual([]);
    expect(computeDifferences(DEFAULT_POLICIES, DEFAULT_POLICIES)).toEqual([]);
    expect(computeDifferences([], [])).toEqual([]);
  });

  it('of a record that was tampered with is its text', () => {
    expect(computeDifferences('{"half', null)).toEqual([{ label: 'Value', before: '{"half', after: null }]);
  });
});
