import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatPlan } from '@/cli/state/plan-text';
import { formatStateDocument } from '@/cli/state/state-file';
import { StateDocumentSchema } from '@/lib/contract/state';
import { runs } from '@/tests/fixtures/runs';
import { stateDocuments } from '@/tests/fixtures/state-documents';

const URL = 'https://sluice.example.com';

describe('a pulled file', () => {
  it('says the same as the document, in YAML and in JSON, without what is usual', () => {
    fc.assert(
      fc.property(stateDocuments, (document) => {
        const wanted = StateDocumentSchema.parse(document);
        for (const format of ['yaml', 'json'] as const) {
          const { $schema: _, ...read } = StateDocumentSchema.parse(parse(formatStateDocument(document, format, URL)));
          expect(withoutNulls(read)).toEqual(withoutNulls(wanted));
        }
      }),
      runs(50),
    );
  });

  it('is read by people and names its schema', () => {
    const text = formatStateDocument(
      {
        version: 1,
        api_keys: [
          {
            name: '007',
            tier: 'free',
            client_type: 'confidential',
            user_id: null,
            overage_allowed: false,
            expires_at: null,
          },
        ],
        allowlist: [
          { type: 'ip', identifier: '2001:db8::/48', reason: 'Office', expires_at: '2026-12-01T00:00:00.000Z' },
        ],
        overrides: [],
      },
      'yaml',
      URL,
    );
    expect(text).toBe(
      [
        '# yaml-language-server: $schema=https://sluice.example.com/v1/state.schema.json',
        'version: 1',
        'api_keys:',
        '  - name: "007"',
        '    tier: free',
        'allowlist:',
        '  - type: ip',
        '    identifier: 2001:db8::/48',
        '    reason: Office',
        '    expires_at: "2026-12-01T00:00:00.000Z"',
        'overrides: []',
        '',
      ].join('\n'),
    );
  });
});

function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, member) => (member === null ? undefined : member)));
}

describe('a plan as text', () => {
  const entry = { type: 'ip', identifier: '203.0.113.7', reason: 'Office', expires_at: null };
  const paint = (_: string, text: string) => text;

  it('shows what comes, goes and becomes different, and whom it hits', () => {
    const limits = (limit: number) => ({ classes: { read: { ip: { limit, window_seconds: 60 } } } });
    const text = formatPlan(
      [
        { action: 'update', kind: 'policies', id: 'policies', before: limits(100), after: limits(50), effect: 'Many.' },
        { action: 'create', kind: 'allowlist', id: 'ip 203.0.113.7', before: null, after: entry },
        { action: 'delete', kind: 'allowlist', id: 'user_id a\u001b[31m', before: entry, after: null },
      ],
      paint,
    );
    expect(text.split('\n')).toEqual([
      '~ policies',
      '    classes.read.ip.limit: 100 -> 50',
      '    Many.',
      '+ allowlist ip 203.0.113.7',
      '    + type: ip',
      '    + identifier: 203.0.113.7',
      '    + reason: Office',
      '- allowlist user_id a\\u001b[31m',
      '    - type: ip',
      '    - identifier: 203.0.113.7',
      '    - reason: Office',
      '1 to create, 1 to update, 1 to delete.',
    ]);
  });

  it('shows which rules of a list come and go, and a new order', () => {
    const [one, two] = [
      { method: 'GET', path: '/a', class: 'read' },
      { method: '*', path: '/b', class: 'auth' },
    ];
    const update = (before: unknown[], after: unknown[]) =>
      formatPlan([{ action: 'update', kind: 'route_rules', id: 'route_rules', before, after }], paint)
        .split('\n')
        .slice(1, -1);
    expect(update([one], [two, two])).toEqual([
      '    - method: GET, path: /a, class: read',
      '    + method: *, path: /b, class: auth',
      '    + method: *, path: /b, class: auth',
    ]);
    expect(update([one, two], [two, one])).toEqual(['    in another order']);
  });
});
