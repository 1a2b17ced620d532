import type { Explanation } from '@/components/api/explain-error';
import { formatWait } from '@/components/format/duration';
import type { SignInOutcome } from '@/components/session/authenticate';
import {
  CODE_MISSING,
  CODE_WRONG,
  INVITATION_GONE,
  SIGN_IN_REFUSALS,
  type SignInRefusal,
} from '@/lib/contract/sign-in-refusals';

const REFUSALS: Readonly<Record<SignInRefusal, Explanation>> = {
  NotAMember: {
    title: 'You are not a member',
    text: 'No member has the e-mail address that the provider has for you. Ask an owner to add it.',
  },
  EmailNotVerified: {
    title: 'Your e-mail address is not verified',
    text: 'The provider has not verified your e-mail address. Verify it there, then sign in again.',
  },
  NoRole: {
    title: 'Your account has no role here',
    text: 'None of the groups that the provider names for you may use Sluice. Ask the administrator of the groups to add you.',
  },
  AnotherAccount: {
    title: 'This is another account',
    text: 'The member with this e-mail address signs in with another account of this provider. Use that account, or ask an owner to unlink it.',
  },
  ProviderRefused: {
    title: 'The provider did not sign you in',
    text: 'The sign-in was cancelled or refused there. Try again, or sign in another way.',
  },
  ProviderDown: {
    title: 'The provider is not responding',
    text: 'Try again in a moment, or sign in another way. If it lasts, the operator of Sluice finds the reason in its log.',
  },
  ProviderMisconfigured: {
    title: 'The provider is not set up correctly',
    text: 'Sluice cannot use its response. The operator of Sluice finds the reason, and what to do, in its log.',
  },
  ClientRefused: {
    title: 'The provider does not accept Sluice',
    text: 'The client id or secret in its configuration is wrong. The operator of Sluice corrects them: the log names the variables.',
  },
  ClocksDiffer: {
    title: 'The clocks differ',
    text: 'The clocks of Sluice and of the provider differ too much. Their operators set them by NTP.',
  },
  SignInExpired: {
    title: 'This sign-in has expired',
    text: 'It took more than 15 minutes, or began in another browser or tab. Sign in again.',
  },
  TooManyRequests: { title: 'Too many requests', text: 'Too many sign-ins came from your address.' },
  Unavailable: { title: 'Sluice cannot sign you in now', text: 'Its database is down. Try again in a moment.' },
};

const WRONG: Explanation = { title: 'Sign-in failed', text: 'Wrong e-mail or password.' };

const CODE: Readonly<Record<'missing' | 'wrong', Explanation>> = {
  missing: { title: 'A code is needed', text: 'Sign in on this page, which asks for it.' },
  wrong: {
    title: 'Wrong code',
    text: 'It is wrong, or it was used before. Wait for the next one in the app, or use a recovery code.',
  },
};

const GONE: Explanation = {
  title: 'This link no longer works',
  text: 'It was used, replaced or has expired. Ask an owner for a new one.',
};

const UNKNOWN: Explanation = {
  title: 'You were not signed in',
  text: 'Try again. If it happens again, ask an owner to check the log.',
};

/** Explains the `error` parameter of the sign-in page. `wait` is in seconds, if the server sent it. */
export function explainRefusal(error: string, wait: number | null): Explanation {
  const locked = /^locked:(\d{1,9})$/.exec(error);
  if (locked) return { title: 'Too many attempts', text: `You can try again in ${formatWait(Number(locked[1]))}.` };
  if (error === 'CredentialsSignin') return WRONG;
  if (error === CODE_MISSING) return CODE.missing;
  if (error === CODE_WRONG) return CODE.wrong;
  if (error === INVITATION_GONE) return GONE;
  const refusal = SIGN_IN_REFUSALS.find((name) => name === error);
  if (refusal === undefined) return UNKNOWN;
  const { title, text } = REFUSALS[refusal];
  return { title, text: wait === null ? text : `${text} You can try again in ${formatWait(wait)}.` };
}

/** Explains the outcome of a sign-in. `left` is the remaining lockout in seconds, or null if it is not available. */
export function explainOutcome(outcome: Exclude<SignInOutcome, { kind: 'in' }>, left: number | null): Explanation {
  switch (outcome.kind) {
    case 'wrong':
      return WRONG;
    case 'code':
      return CODE[outcome.code];
    case 'gone':
      return GONE;
    case 'locked':
      return {
        title: 'Too many attempts',
        text: left === null ? 'Wait a while before you try again.' : describeWait(left),
      };
    case 'weak':
      return { title: 'Choose another password', text: outcome.reason };
    case 'forbidden':
      return { title: 'Sluice refused this page', text: outcome.reason };
    case 'unreachable':
      return { title: 'No response from the server', text: 'Check your connection, then try again.' };
    case 'fault':
      return { title: 'The server has a problem', text: 'Try again in a moment.' };
  }
}

function describeWait(seconds: number): string {
  if (seconds <= 0) return 'You can try again now.';
  return `You can try again in ${formatWait(seconds)}.`;
}
