import { createNotApplicable, createVerdict } from '@/lib/oauth/assessment/verdict';
import { has, isText } from '@/lib/oauth/token/members';
import type { TokenProblem } from '@/lib/oauth/token/read-token';
import type { TokenRule } from '@/lib/oauth/token/token-rule';

const requireNoProblems =
  (about: TokenProblem['about'], right: string): TokenRule['judge'] =>
  ({ reading }) => {
    const first = reading.problems.find((problem) => problem.about === about);
    return createVerdict(first === undefined, right, `In the ${first?.part}: ${first?.message}`);
  };

/** Rules of RFC 7515 and RFC 7519 on the spelling of a token. */
export const SPELLING: readonly TokenRule[] = [
  {
    source: 'RFC 7515 2',
    title: 'Base64url has one spelling',
    judge: requireNoProblems('base64url', 'All parts are canonical base64url.'),
  },
  {
    source: 'RFC 7519 4',
    title: 'Member names are unique',
    judge: requireNoProblems('duplicate', 'No member is repeated.'),
  },
  {
    source: 'RFC 7515 4.1.11',
    title: 'Critical extensions are named correctly',
    judge: ({ header }) => {
      if (!has(header, 'crit')) return createNotApplicable('There is no “crit”.');
      const names: unknown[] = [header.crit].flat();
      const isRight =
        Array.isArray(header.crit) && names.length > 0 && names.every((name) => isText(name) && has(header, name));
      return createVerdict(
        isRight,
        'Each name in “crit” is in the header.',
        '“crit” must be a list of names that are in the header.',
      );
    },
  },
];
