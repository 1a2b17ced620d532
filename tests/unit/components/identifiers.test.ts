import { describe, expect, it } from 'vitest';
import { findTarget as targetOfDecision } from '@/components/decisions/decision-words';
import { EntryFields } from '@/components/identifier/entry-fields';
import { describeWideRange } from '@/components/identifier/range-notes';
import { buildInspectHref } from '@/components/links/target';
import { searchTarget } from '@/components/palette/search-target';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { loggedRefusal } from '../../fixtures/decision-event';
import { table } from '../../fixtures/table';

describe('the warning of a wide range', () => {
  table('%s: %s', describeWideRange, [
    ['10.0.0.0/23', '/23 covers 512 addresses.'],
    [' 10.0.0.0/8 ', '/8 covers 16,777,216 addresses.'],
    ['0.0.0.0/0', '/0 covers 4,294,967,296 addresses.'],
    ['2001:db8::/47', '/47 covers 2 networks of a typical site.'],
    ['2001:db8::/32', '/32 covers 65,536 networks of a typical site.'],
    ['2001:db8::/31', '/31 is wider than the network of a whole provider.'],
    ['::/0', '/0 is wider than the network of a whole provider.'],
  ]);

  it.each(['10.0.0.0/24', '10.0.0.1/32', '2001:db8::/48', '2001:db8::1', '10.0.0.1', '', '/8', '10.0.0.0/', 'x/y'])(
    'is not given for %j',
    (text) => {
      expect(describeWideRange(text)).toBeNull();
    },
  );

  it('is no judgement of what is no range: the form says that', () => {
    for (const text of ['10.0.0.0/33', '::/129', '10.0.0.0/-1', '10.0.0.0/1000', '10.0.0.0/8.5']) {
      expect(describeWideRange(text)).toBeNull();
    }
  });
});

describe('whom a form concerns', () => {
  const rest = { reason: 'Partner', expiry: { preset: 'never', custom: '' } };
  const messages = (target: object) =>
    EntryFields.safeParse({ ...target, ...rest }).error?.issues.map(({ message }) => message);

  it.each([
    ['ip', ' 203.0.113.7 '],
    ['ip', '2001:DB8::/48'],
    ['user_id', ' a space counts'],
    ['user_id', '🙂'.repeat(256)],
  ])('takes the %s %j', (type, identifier) => {
    expect(messages({ type, identifier })).toBeUndefined();
  });

  it.each([
    ['ip', '', 'Enter an address or a user id.'],
    ['ip', '203.0.113', 'Enter an IPv4 or IPv6 address, or a range such as 10.0.0.0/24.'],
    ['ip', '203.0.113.7:80', 'Enter an IPv4 or IPv6 address, or a range such as 10.0.0.0/24.'],
    ['user_id', 'a\u0000b', 'A user id has 1 to 256 characters and no control characters.'],
    ['user_id', '🙂'.repeat(257), 'A user id has 1 to 256 characters and no control characters.'],
  ])('does not take the %s %j', (type, identifier, message) => {
    expect(messages({ type, identifier })).toEqual([message]);
  });
});

describe('what was typed into the palette', () => {
  table('%j', searchTarget, [
    [' 203.0.113.7 ', { type: 'ip', identifier: '203.0.113.7' }],
    ['::ffff:10.0.0.1', { type: 'ip', identifier: '10.0.0.1' }],
    ['10.1.2.3/8', { type: 'ip', identifier: '10.0.0.0/8' }],
    ['alice', { type: 'user_id', identifier: 'alice' }],
    ['203.0.113', { type: 'user_id', identifier: '203.0.113' }],
    ['12345', { type: 'user_id', identifier: '12345' }],
    ['a', null],
    ['  ', null],
    ['a\u202eb', null],
  ]);
});

describe('whom a decision is about', () => {
  const decision = (part: Partial<LoggedDecision>) =>
    loggedRefusal('2001:db8::1', { identifier: '2001:db8::/64', ...part });

  table('%s', (_: string, part: Partial<LoggedDecision>) => targetOfDecision(decision(part)), [
    ['the network that refused', {}, { type: 'ip', identifier: '2001:db8::/64' }],
    ['the user that refused', { subject: 'user', identifier: 'alice' }, { type: 'user_id', identifier: 'alice' }],
    ['nobody to act upon, where a quota refused', { subject: 'quota', identifier: 'a-key' }, null],
    ['nobody to act upon, where a client refused', { subject: 'client', identifier: 'a-key' }, null],
    ['nobody, where nothing is known', { subject: 'global', identifier: null, ip: null }, null],
  ]);
});

it('the inspector is linked with whatever characters an identifier has', () => {
  const { searchParams } = new URL(
    buildInspectHref({ type: 'user_id', identifier: 'a&b=c d/é' }),
    'http://sluice.test',
  );
  expect([...searchParams]).toEqual([
    ['type', 'user_id'],
    ['identifier', 'a&b=c d/é'],
  ]);
});
