import { describe, expect, it } from 'vitest';
import { listRuleLimits } from '@/lib/enforcement/named-limits';

const listSubjects = (field: string, values: readonly string[]) =>
  listRuleLimits(
    [{ name: 'calls', subject: `header:${field}` }],
    { header: () => values },
    { key: null, userId: null },
  ).map(({ subject }) => subject);

const SECRET = 'dG9wLXNlY3JldA==';
const OWN = `slk_${'A'.repeat(43)}`;
const JWT = `eyJhbGciOiJub25lIn0.${'B'.repeat(20)}.${'C'.repeat(20)}`;

describe('the subject of a limit that counts a header', () => {
  it.each([
    ...['authorization', 'proxy-authorization', 'cookie', 'x-api-key', 'apikey', 'x-admin-token', 'x-csrf-token'],
    ...['x-auth-token', 'x-amz-security-token', 'x-session-id', 'x-client-secret', 'x-password', 'dpop'],
  ])('shows no credential of %s', (field) => {
    const subjects = listSubjects(field, [SECRET, `Bearer ${SECRET}`, `Basic ${SECRET}`, `sid=${SECRET}`, OWN, JWT]);
    for (const subject of subjects) expect(subject).toMatch(/^sha256:[\w-]{16}$/);
    expect(new Set(subjects).size).toBe(6);
    expect(listSubjects(field, [SECRET])).toEqual([subjects[0]]);
  });

  it.each([OWN, JWT, `Bearer ${OWN}`, encodeURIComponent(`x/${JWT}`)])('shows no token of any header: %s', (value) => {
    const [subject, other] = listSubjects('x-tenant', [value, value.replace(/A$|C$/, 'z')]);
    expect(subject).not.toContain('A'.repeat(20));
    expect(subject).not.toContain('C'.repeat(20));
    expect(subject).not.toBe(other);
  });

  it.each(['x-phone', 'x-tenant', 'x-author', 'x-keyboard'])('is the value of %s as it is', (field) => {
    expect(listSubjects(field, ['+4915112345678', 'café'])).toEqual(['+4915112345678', 'café']);
  });
});
