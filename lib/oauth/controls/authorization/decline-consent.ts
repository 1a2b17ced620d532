import { fillRefusalForm } from '@/lib/oauth/assessment/fill-forms';
import { findRedirect, readParameters } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { ignoreUndecided } from '@/lib/oauth/assessment/verdict';

/**
 * Declines on a page of consent, and returns whether the server gives a code all the same. False if no page
 * asks, or if it is not certain how it is declined.
 */
export async function isDeclineIgnored(probe: Probe): Promise<boolean> {
  if (probe.target.cookie === '') return false;
  const page = await probe.openPromptPage({ prompt: 'consent' }, fillRefusalForm).catch(ignoreUndecided);
  if (page === null) return false;
  const answer = await page.complete('Decline');
  return 'code' in readParameters(findRedirect(answer) ?? '');
}
