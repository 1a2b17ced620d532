import type { ZxcvbnFactory } from '@zxcvbn-ts/core';
import { countCharacters, PasswordInput, SHORTEST_ONLY_FACTOR } from '@/lib/contract/fields/password';

/** Circumstances of a new password. */
export interface PasswordUse {
  /** E-mail address of the member. A password must not be made of it. */
  email: string;
  /** True if the member signs in without a second factor. */
  isOnlyFactor: boolean;
}

/** Guesses below which a password counts as common. zxcvbn calls this score 3. */
const FEWEST_GUESSES = 1e8;
/** Characters that are estimated. More would only make a password stronger, and take time. */
const MOST_ESTIMATED = 48;

let estimator: Promise<ZxcvbnFactory> | null = null;

/** Loads the estimator and its list of leaked passwords at the first use. Neither opens a connection. */
function loadEstimator(): Promise<ZxcvbnFactory> {
  const load = async () => {
    const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
      import('@zxcvbn-ts/core'),
      import('@zxcvbn-ts/language-common'),
    ]);
    return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: MOST_ESTIMATED });
  };
  estimator ??= load().catch((error: unknown) => {
    estimator = null;
    throw error;
  });
  return estimator;
}

/**
 * Explains why a new password is refused (NIST SP 800-63B-4 section 3.1.1.2): too short, too long, on a list of common
 * or leaked passwords, or made of them, of repetitions, of keyboard rows, or of the member's address. There are no
 * rules on kinds of characters.
 * @returns text that continues the field's name ("must have ..."), or null if the password is accepted
 */
export async function findPasswordFault(
  password: string,
  { email, isOnlyFactor }: PasswordUse,
): Promise<string | null> {
  const parsed = PasswordInput.safeParse(password);
  if (!parsed.success) return parsed.error.issues[0]?.message ?? 'is not valid';
  if (isOnlyFactor && countCharacters(password) < SHORTEST_ONLY_FACTOR)
    return `must have at least ${SHORTEST_ONLY_FACTOR} characters, because sign-in asks for no second factor`;
  const own = ['sluice', email, ...email.split(/[^\p{L}\p{N}]+/u)].filter((word) => word.length > 2);
  const { guesses } = (await loadEstimator()).check(password.normalize('NFKC'), own);
  return guesses < FEWEST_GUESSES
    ? 'is too easy to guess: it is a common password, or made of common ones, a repetition, a keyboard row or the address. Take several unrelated words'
    : null;
}
