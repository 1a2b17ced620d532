import { notApplicable, passedIf } from '@/lib/oauth/assessment/verdict';
import { has, isText, type TokenFacts, type TokenRule } from '@/lib/oauth/token/token-rule';

const problemsMatching = ({ reading }: TokenFacts, pattern: RegExp) =>
  reading.problems.filter(({ message }) => pattern.test(message));
const firstMessage = (problems: readonly { part: string; message: string }[]) =>
  problems.map(({ part, message }) => `In the ${part}: ${message}`)[0] ?? '';

/** What RFC 7515 and RFC 7519 say about how a token is written. */
export const SPELLING: readonly TokenRule[] = [
  [
    'RFC 7515 2',
    'Base64url has one spelling',
    (facts) => {
      const found = problemsMatching(facts, /base64url|Padding|last character|left over|stands in the middle/);
      return passedIf(found.length === 0, 'All parts are canonical base64url.', firstMessage(found));
    },
  ],
  [
    'RFC 7519 4',
    'Member names are unique',
    (facts) => {
      const found = problemsMatching(facts, /stands twice/);
      return passedIf(found.length === 0, 'No member stands twice.', firstMessage(found));
    },
  ],
  [
    'RFC 7515 4.1.11',
    'Critical extensions are named correctly',
    ({ header }) => {
      if (!has(header, 'crit')) return notApplicable('There is no “crit”.');
      const names: unknown[] = [header.crit].flat();
      const isRight =
        Array.isArray(header.crit) && names.length > 0 && names.every((name) => isText(name) && has(header, name));
      return passedIf(
        isRight,
        'Each name in “crit” is in the header.',
        '“crit” must be a list of names that are in the header.',
      );
    },
  ],
];
