import { describe, expect, test } from 'vitest';
import { EXPLANATIONS, findCauses } from '@/lib/oauth/report/causes';
import { isControl } from '@/lib/oauth/report/describe-control';
import { groupByCause } from '@/lib/oauth/report/group-by-cause';
import { summarize } from '@/lib/oauth/report/summary';

const failing = (...controls: string[]) => controls.map((control) => ({ control, verdict: 'failed' as const }));

describe('the causes of failed controls', () => {
  test('explain controls of the catalogue, and never in a circle', () => {
    for (const { control, together, explains } of EXPLANATIONS)
      expect([control, ...together, ...explains].filter((id) => !isControl(id))).toEqual([]);
    const reaches = (from: string, seen: readonly string[] = []): void => {
      expect(seen).not.toContain(from);
      for (const { control, explains } of EXPLANATIONS)
        if (explains.includes(from) && control !== from) reaches(control, [...seen, from]);
    };
    for (const { explains } of EXPLANATIONS) for (const control of explains) reaches(control);
  });

  test.each([
    [
      'no PKCE',
      [
        'require-pkce',
        'pkce-s256',
        'pkce-challenge-syntax',
        'pkce-verified',
        'pkce-downgrade',
        'pkce-method-downgrade',
        'pkce-advertised',
        'require-state',
      ],
      ['pkce-verified'],
    ],
    ['optional PKCE', ['require-pkce', 'require-state', 'pkce-downgrade'], ['require-pkce']],
    ['optional PKCE, plain too', ['require-pkce', 'pkce-s256'], ['require-pkce', 'pkce-s256']],
    ['PKCE of any verifier length', ['pkce-verified', 'pkce-s256'], ['pkce-verified', 'pkce-s256']],
    [
      'any redirect URI',
      [
        'strict-redirect-uri',
        'redirect-uri-wildcard',
        'redirect-uri-scheme',
        'redirect-uri-fragment',
        'par-redirect-uri',
      ],
      ['strict-redirect-uri'],
    ],
    [
      'patterns alone',
      ['redirect-uri-wildcard', 'redirect-uri-scheme'],
      ['redirect-uri-wildcard', 'redirect-uri-scheme'],
    ],
    ['no signature check', ['signature-verified', 'alg-none', 'alg-confusion', 'kid-unknown'], ['signature-verified']],
    ['codes that anybody invents', ['code-invented', 'code-single-use', 'code-race'], ['code-invented']],
    [
      'unrelated defects',
      ['refresh-rotation', 'frame-protection', 'tls'],
      ['tls', 'refresh-rotation', 'frame-protection'],
    ],
  ])('%s', (_what, failed, causes) => {
    const found = findCauses([...failing(...failed), { control: 'par', verdict: 'passed' }]);
    expect(found.map(({ control }) => control)).toEqual(causes);
    expect(found.flatMap(({ controls }) => controls).sort()).toEqual([...failed].sort());
    for (const { control, controls } of found) expect(controls[0]).toBe(control);
  });

  test('are what the grade counts', () => {
    const passed = { control: 'tls', verdict: 'passed' } as const;
    const family = failing(
      'no-password-grant',
      'password-grant-every-client',
      'refresh-rotation',
      'refresh-reuse-revokes',
    );
    expect(summarize([passed, ...family])).toMatchObject({ failed: 4, grade: 'C' });
    expect(summarize([passed, ...family, ...failing('kid-unknown')]).grade).toBe('D');
    const short = { control: 'short-token-lifetime', verdict: 'failed' as const };
    expect(summarize([passed, short]).grade).toBe('B');
    expect(summarize([passed, { ...short, severity: 'low' as const }]).grade).toBe('A');
    // A consequence may be worse than its cause.
    expect(findCauses(failing('sender-constrained', 'dpop-proof'))).toMatchObject([
      { control: 'sender-constrained', severity: 'high' },
    ]);
  });

  test('group findings, though the one that names the cause is filtered out', () => {
    const findings = [
      { control: 'pkce-s256', cause: 'pkce-verified' },
      { control: 'require-pkce', cause: 'pkce-verified' },
      { control: 'tls', cause: 'tls' },
    ] as never;
    expect(groupByCause(findings).map(({ first, others }) => [first.control, others.length])).toEqual([
      ['pkce-s256', 1],
      ['tls', 0],
    ]);
  });
});
