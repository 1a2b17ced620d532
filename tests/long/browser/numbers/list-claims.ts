import { describeAlertSettings } from '@/components/alerts/alert-words';
import { formatAuditSentence } from '@/components/audit-log/sentences';
import { describeAllowance } from '@/components/exceptions/exception-words';
import { formatWindow } from '@/components/format/duration';
import type { AlertSettings } from '@/lib/contract/alerts';
import type { AuditRecord, AuditVerification } from '@/lib/contract/audit-log';
import type { Exception } from '@/lib/contract/exceptions';
import type { Override } from '@/lib/contract/overrides';
import type { Answers } from './answers';
import { type Claim, number } from './claims';

interface Listed {
  identifier: string;
  narrower?: string | null;
}

const claimTotal = (rows: readonly unknown[]): Claim => ({
  in: 'p[aria-live]',
  say: rows.length === 0 ? [] : [`${rows.length} total`],
});

/** Describes the size of a range of addresses. */
function describeSize({ identifier }: Listed): string[] {
  const [address = '', length] = identifier.split('/');
  if (length === undefined) return [];
  return address.includes(':')
    ? [`${number(2 ** (64 - Number(length)))} /64 networks`]
    : [`${number(2 ** (32 - Number(length)))} addresses`];
}

const claimRanges = (rows: readonly Listed[]): Claim[] => [
  { in: 'td span', like: /^[\d,]+ (addresses|\/64 networks)$/, say: rows.flatMap(describeSize) },
  {
    in: 'td span',
    like: /uses it$/,
    say: rows.flatMap(({ narrower }) => (narrower ? [`only ${narrower} uses it`] : [])),
  },
];

export function claimOverrides(answers: Answers): Claim[] {
  const rows = answers.find<Override[]>('/v1/admin/rate-limit/overrides');
  const numbers = rows.map(
    ({ limit, window_seconds: seconds }) => `${number(limit ?? 0)} in ${formatWindow(seconds ?? 0)}`,
  );
  return [{ in: 'tbody td', like: /^[\d,]+ in \d+ \w+$/, say: numbers }, ...claimRanges(rows), claimTotal(rows)];
}

export function claimAllowlist(answers: Answers): Claim[] {
  const rows = answers.find<Listed[]>('/v1/admin/rate-limit/allowlist');
  return [...claimRanges(rows), claimTotal(rows)];
}

export function claimExceptions(answers: Answers): Claim[] {
  const rows = answers.find<Exception[]>('/v1/admin/exceptions');
  const [, uses] = claimRanges(rows);
  return [
    { in: 'tbody td', like: /^(no rate limit|.* in \d+ \w+|.* requests more)$/, say: rows.map(describeAllowance) },
    ...(uses === undefined ? [] : [uses]),
    claimTotal(rows),
  ];
}

/** The sentences of a list of changes, and their number. */
export function claimChanges(answers: Answers): Claim[] {
  const rows = answers.find<AuditRecord[]>('/v1/admin/audit');
  return [{ in: 'tbody td > p', say: rows.map(formatAuditSentence) }, claimTotal(rows)];
}

export function claimAudit(answers: Answers): Claim[] {
  const { records } = answers.find<AuditVerification>('/v1/admin/audit/verify');
  return [
    { in: 'button', like: /^chain verified/, say: [`chain verified, ${number(records)} records`] },
    ...claimChanges(answers),
  ];
}

export const claimRows =
  (path: string) =>
  (answers: Answers): Claim[] => [claimTotal(answers.find<unknown[]>(path))];

export function claimAlertSettings(answers: Answers): Claim[] {
  const sentences = describeAlertSettings(answers.find<AlertSettings>('/v1/admin/alerts'));
  return [{ in: 'li', like: /\d/, say: sentences.map(({ words }) => words) }];
}

export function claimAccount(): Claim[] {
  return [
    { in: 'div', like: /^At least 15 characters, or 12 with a second factor\. Spaces are allowed\.$/ },
    { in: 'p', like: /^No failed sign-ins to your account in the last 90 days\.$/ },
  ];
}
