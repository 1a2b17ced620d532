import { describe, expect, it } from 'vitest';
import { ACTION_GROUPS } from '@/components/audit-log/action-groups';
import { buildAuditSentence, formatAuditSentence } from '@/components/audit-log/sentences';
import { AUDIT_ACTIONS } from '@/lib/contract/audit-actions';
import type { AuditRecord } from '@/lib/contract/audit-log';
import { DEFAULT_POLICIES } from '@/lib/contract/policies';

const KEY = '03cd4d56-8b74-4d10-9df1-0c5f6a6c1d11';

function record(action: string, fields: Partial<AuditRecord> = {}): AuditRecord {
  return {
    seq: 7,
    at: '2026-11-20T12:00:00.000Z',
    actor: 'member:1',
    actor_name: 'owner@example.com',
    action,
    target_type: action.replace(/[.].*/, ''),
    target: KEY,
    target_name: 'Store locator',
    target_name_now: null,
    before: null,
    after: null,
    reason: null,
    request_id: null,
    address: null,
    previous_hash: '0'.repeat(64),
    hash: '1'.repeat(64),
    undoes: null,
    undo: { possible: false },
    ...fields,
  };
}

const words = (action: string, fields?: Partial<AuditRecord>) => formatAuditSentence(record(action, fields));

describe('a change in a sentence', () => {
  it('says of an undo what it took back', () => {
    const undone = { undoes: 9, target: '203.0.113.7', target_name: null, before: null, after: { class: 'auth' } };
    expect(words('override.remove.undo', undone)).toBe(
      'owner@example.com undid change 9, which removed the override of 203.0.113.7 in Auth',
    );
    const tier = { undoes: 4, before: { tier: 'business' }, after: { tier: 'free' } };
    expect(words('quota.tier.undo', tier)).toBe(
      'owner@example.com undid change 4, which moved Store locator from Free to Business',
    );
  });

  it('says who did what to what', () => {
    expect(words('api_key.rotate')).toBe('owner@example.com rotated the secret of Store locator');
    expect(words('api_key.create')).toBe('owner@example.com created the key Store locator');
    expect(buildAuditSentence(record('api_key.rotate'))).toEqual({
      actor: 'owner@example.com',
      head: 'rotated the secret of ',
      target: 'Store locator',
      tail: '',
    });
  });

  it('names what was changed and how', () => {
    const named = { target: '203.0.113.9', target_name: null };
    expect(words('quota.tier', { before: { tier: 'free' }, after: { tier: 'starter' } })).toBe(
      'owner@example.com moved Store locator from Free to Starter',
    );
    expect(words('quota.reset', { before: { usage: 94_359 }, after: { usage: 0 } })).toBe(
      'owner@example.com reset the usage of Store locator from 94,359 to 0',
    );
    expect(words('override.set', { ...named, after: { class: 'read', limit: 250, window_seconds: 3600 } })).toBe(
      'owner@example.com overrode the limit of 203.0.113.9 in Read to 250 in 1 h',
    );
    expect(words('counters.reset', { ...named, after: { class: null } })).toBe(
      'owner@example.com reset the counters of 203.0.113.9',
    );
    expect(words('api_key.update', { before: { name: 'Old' }, after: { name: 'Store locator' } })).toBe(
      'owner@example.com renamed the key Old to Store locator',
    );
    expect(words('member.invite', { target_name: 'ada@example.com', after: { role: 'operator' } })).toBe(
      'owner@example.com invited ada@example.com as Operator',
    );
  });

  it('names the one limit that was changed, and counts many', () => {
    const { classes } = DEFAULT_POLICIES;
    const stricter = { limit: 4, window_seconds: 60 };
    const of = (changed: object) =>
      words('policies.update', {
        target: 'policies',
        target_name: null,
        before: DEFAULT_POLICIES,
        after: { ...DEFAULT_POLICIES, ...changed },
      });
    expect(of({ classes: { ...classes, auth: { ...classes.auth, ip: stricter } } })).toBe(
      'owner@example.com changed the limits: Auth, per address, from 10 in 1 min to 4 in 1 min',
    );
    const all = { ip: stricter, user: stricter };
    expect(of({ classes: { ...classes, auth: { ...classes.auth, ...all }, read: { ...classes.read, ...all } } })).toBe(
      'owner@example.com changed 4 values of the limits',
    );
  });

  it('is whole without an actor where the target acted or nobody did', () => {
    expect(words('quota.threshold', { actor: 'system', after: { threshold_percent: 80 } })).toBe(
      'Store locator used 80% of its quota',
    );
    expect(buildAuditSentence(record('member.bootstrap')).actor).toBeNull();
  });

  it('tells their own from others', () => {
    const own = { actor: `member:${KEY}` };
    expect(words('member.password', own)).toBe('owner@example.com changed their own password');
    expect(words('member.password')).toBe('owner@example.com set a new password for Store locator');
  });

  it('falls back to the name of an action that this version does not know', () => {
    expect(words('tunnel.dig')).toBe('owner@example.com made the change tunnel.dig to Store locator');
  });
});

describe.each(AUDIT_ACTIONS)('%s', (action) => {
  it('has a sentence of its own, whatever the record holds', () => {
    for (const value of [null, {}, [], '{', { limit: 'x' }]) {
      const sentence = words(action, { before: value, after: value });
      expect(sentence).not.toContain(action);
      expect(sentence).not.toMatch(/\{target\}|\[object/);
    }
  });

  it('is in one group of the filter', () => {
    const groups = ACTION_GROUPS.filter(({ value }) =>
      value.split(',').some((prefix) => action === prefix || action.startsWith(`${prefix}.`)),
    );
    expect(groups).toHaveLength(1);
  });
});
