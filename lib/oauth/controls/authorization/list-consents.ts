import { AGREE_LABEL } from '@/lib/oauth/assessment/browser-session';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { ignoreUndecided } from '@/lib/oauth/assessment/verdict';

/** A page that asked to agree, and the answer to agreeing. */
interface Consent {
  page: Exchange;
  answer: Exchange;
}

/**
 * Lists the pages of consent on the way to the first code of this assessment. A server that remembers the answer shows
 * none later. A person's own browser shows none to the assessment.
 */
export async function listConsents(probe: Probe): Promise<Consent[]> {
  const from = probe.exchanges.length;
  await probe.getReservedCode().catch(ignoreUndecided);
  const seen = probe.exchanges.slice(from);
  return seen.flatMap((page, at) => {
    const answer = seen[at + 1];
    return answer?.label === AGREE_LABEL ? [{ page, answer }] : [];
  });
}
