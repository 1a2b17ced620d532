import { describe, expect, test } from 'vitest';
import { FORMS } from '@/cli/operation/forms';
import { formatCell } from '@/cli/output/cell';
import { createPainter, hasColours } from '@/cli/output/colour';
import { formatRelativeTime } from '@/cli/output/relative-time';
import { formatRecord, formatTable } from '@/cli/output/table';
import { measureWidth } from '@/cli/output/wrap-text';

const paint = createPainter(false);
const rows = [
  { identifier: '198.51.100.0/24', reason: 'The office of a customer that moves house', created_by: 'ada@example.com' },
  { identifier: 'alice', reason: 'Load test', created_by: 'ada@example.com' },
];
const columns = ['identifier', 'reason', 'created_by'];

describe('a table', () => {
  test('is as wide as what it holds where there is no terminal', () => {
    const { text } = formatTable(rows, { columns, width: null, paint, now: null });
    expect(text).toBe(
      [
        'IDENTIFIER       REASON                                     CREATED BY',
        '198.51.100.0/24  The office of a customer that moves house  ada@example.com',
        'alice            Load test                                  ada@example.com',
      ].join('\n'),
    );
  });

  test.each([40, 60, 80])('fits a terminal of %d columns, and the widest column gives way', (width) => {
    const { text } = formatTable(rows, { columns, width, paint, now: null });
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
    expect(text).toContain(width < 75 ? '…' : 'moves house');
    expect(text).toContain('alice');
  });

  test('leaves out what may be dropped, and cuts nothing that identifies', () => {
    const row = { at: '2026-11-20', identifier: '2001:db8:ffff:eeee::/64', reason: 'rate_limit_exceeded', limit: 10 };
    const options = { columns: Object.keys(row), drop: ['limit', 'at'], paint, now: null };
    const at = (width: number) => formatTable([row], { ...options, width }).text.split('\n');
    expect(at(70)[0]).toBe('AT          IDENTIFIER               REASON               LIMIT');
    expect(at(55)[0]).toBe('AT          IDENTIFIER               REASON');
    expect(at(40)).toEqual(['IDENTIFIER               REASON', '2001:db8:ffff:eeee::/64  rate_limit_exc…']);
    expect(at(30)[0]).toBe('at          2026-11-20');
    const { layout } = formatTable([{ ...row, identifier: '10.0.0.1' }], { ...options, width: 40 });
    expect(formatTable([row], { ...options, width: 40, layout, isContinued: true }).text).toContain(row.identifier);
  });

  test('of decisions keeps where the limit comes from longer than how much of it was used', () => {
    const { columns: all = [], drop = [], row } = FORMS['decisions list'] ?? {};
    const decision = {
      ...{
        at: '2026-11-20T11:59:59Z',
        outcome: 'refused',
        class: 'auth',
        reason: 'rate_limit_exceeded',
        subject: 'ip',
      },
      ...{ identifier: '203.0.113.7', method: 'POST', path: '/auth/token', used: 10, limit: 10, cost: 1 },
      source: 'override',
    };
    const headings = (width: number) => {
      const now = Date.UTC(2026, 10, 20, 12);
      const { text } = formatTable([row?.(decision) ?? decision], { columns: all, drop, width, paint, now });
      return text.split('\n')[0]?.split(/ {2,}/);
    };
    expect(headings(200)).toHaveLength(all.length);
    expect(headings(92)).toEqual(expect.arrayContaining(['SOURCE', 'IDENTIFIER', 'REASON', 'PATH']));
    for (const dropped of ['COST', 'USED', 'METHOD']) expect(headings(92)).not.toContain(dropped);
  });

  test('gives each row a block of lines where its columns would be too narrow to read, and cuts nothing', () => {
    const many = ['identifier', 'reason', 'created_by', 'expires_at', 'class', 'path'];
    const wide = { ...rows[0], expires_at: null, class: 'sensitive', path: `/${'東京'.repeat(20)}` };
    const first = formatTable([wide], { columns: many, width: 40, paint, now: null });
    for (const line of first.text.split('\n')) expect(measureWidth(line)).toBeLessThanOrEqual(40);
    expect(first.text.split('\n').slice(0, 4)).toEqual([
      'identifier  198.51.100.0/24',
      'reason      The office of a customer',
      '            that moves house',
      'created_by  ada@example.com',
    ]);
    expect(first.text.replaceAll(/\s/g, '')).toContain('東京'.repeat(20));
    const { text } = formatTable([{}], {
      ...{ columns: many, width: 40, paint, now: null },
      ...{ isContinued: true, layout: first.layout },
    });
    expect(text).toMatch(/^\nidentifier +-\n/);
  });

  test('cuts nothing of any script in a pipe', () => {
    for (const name of ['、東京。東京タワー', '한국어', 'emoji 🚦🚦 and ⚠️', 'Zażółć', 'مرحبا', 'ＦＵＬＬ']) {
      expect(formatTable([{ name }], { columns: ['name'], width: null, paint, now: null }).text).toContain(name);
    }
  });

  test('goes on below with the same columns', () => {
    const options = { columns, width: null, paint, now: null };
    const first = formatTable(rows, options);
    const next = formatTable([rows[1] ?? {}], { ...options, isContinued: true, layout: first.layout });
    expect(next.text).toBe(first.text.split('\n')[2]);
  });
});

test('an object has a member on each line, and its lists of objects below', () => {
  const record = { limit: 3, ip: { used: 1 }, counters: [{ class: 'read', used: 2, slots: [{ hits: 1 }] }] };
  expect(formatRecord(record, { width: null, paint, now: null })).toBe(
    ['limit    3', 'ip.used  1', '', 'counters', 'CLASS  USED', 'read   2'].join('\n'),
  );
});

test('what others wrote cannot move the cursor', () => {
  expect(formatCell('a\u001b[2Jb\nc\u202e', { now: null })).toBe('a\\u001b[2Jb\\u000ac\\u202e');
});

test('times are told from now to a person, and exactly to a program', () => {
  const now = Date.parse('2026-11-20T12:00:00.000Z');
  expect(formatCell('2026-11-20T13:50:00.000Z', { now })).toBe('in 1 hour');
  expect(formatCell('2026-11-20T13:59:00.000Z', { now: null })).toBe('2026-11-20T13:59:00.000Z');
  expect(formatRelativeTime('2026-11-20T11:58:00.000Z', now)).toBe('2 minutes ago');
  expect(formatRelativeTime('2026-11-21T11:59:59.000Z', now)).toBe('in 1 day');
  expect(formatRelativeTime('2026-11-20T12:00:00.400Z', now)).toBe('now');
  expect(formatRelativeTime('2027-12-20T12:00:00.000Z', now)).toBe('in 1 year');
});

test('colours are for terminals, unless somebody says otherwise', () => {
  expect(hasColours(true, {})).toBe(true);
  expect(hasColours(false, {})).toBe(false);
  expect(hasColours(true, { NO_COLOR: '1' })).toBe(false);
  expect(hasColours(true, { NO_COLOR: '' })).toBe(true);
  expect(hasColours(true, { TERM: 'dumb' })).toBe(false);
  expect(hasColours(false, { FORCE_COLOR: '1' })).toBe(true);
  expect(createPainter(true)('red', 'x')).toBe('\u001b[31mx\u001b[39m');
});
