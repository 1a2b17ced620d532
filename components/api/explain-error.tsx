import { CallError } from '@/components/api/call';
import { DatedText } from '@/components/format/dated-text';
import { formatWait } from '@/components/format/duration';
import { toast } from '@/components/ui/toast';
import { SECOND_FACTOR_DETAIL } from '@/lib/contract/second-factor-detail';

export interface Explanation {
  title: string;
  text: string;
  /** Link to the page that can fix the error. */
  link?: { href: string; label: string };
}

/** Explains a failed call in plain words. Any error that is not a `CallError` is treated as a bug in this page. */
export function explainError(error: unknown): Explanation {
  if (!(error instanceof CallError)) {
    return { title: 'This page has a problem', text: 'Reload it. Saved changes are safe.' };
  }
  const wait = error.retryAfter === null ? 'in a moment' : `in ${formatWait(error.retryAfter)}`;
  switch (error.status) {
    case 0:
      return error.error === 'timeout'
        ? { title: 'The server is slow', text: 'It did not respond within 20 seconds. Try again.' }
        : { title: 'No response from the server', text: 'Check your connection, then try again.' };
    case 401:
      return { title: 'Your session has ended', text: 'Sign in again to continue.' };
    case 403:
      if (error.details.some(({ path }) => path === SECOND_FACTOR_DETAIL)) {
        const back = encodeURIComponent(window.location.pathname + window.location.search);
        return {
          title: 'Set up a second factor to continue',
          text: 'An owner requires one of everyone who signs in with a password. You come back here afterwards.',
          link: { href: `/sign-in/second-factor?callbackUrl=${back}`, label: 'Set it up' },
        };
      }
      return { title: 'Your role does not allow this', text: error.description };
    case 404:
      return { title: 'This no longer exists', text: error.description };
    case 409:
      return { title: 'This conflicts with another change', text: error.description };
    case 412:
      return {
        title: 'Someone else changed this in the meantime',
        text: 'Nothing was saved, and what you typed is still here. Compare it with their version, then save again.',
      };
    case 429:
      return { title: 'Too many requests', text: `Sluice limits its own API too. Try again ${wait}.` };
    case 503:
      return { title: 'The service is unavailable', text: `${error.description} Try again ${wait}.` };
    default:
      return {
        title: error.status >= 500 ? 'The server has a problem' : 'The request was refused',
        text:
          error.requestId && error.status >= 500
            ? `${error.description} Request ${error.requestId}.`
            : error.description,
      };
  }
}

/** Shows a failed call in a toast, for places without a form or list to show it in. */
export function showErrorToast(error: unknown): void {
  const { title, text, link } = explainError(error);
  const action = link && { label: link.label, onClick: () => window.location.assign(link.href) };
  toast.error(title, { description: <DatedText>{text}</DatedText>, ...(action ? { action } : {}) });
}
