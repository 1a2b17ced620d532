import { answerPage } from '@/lib/oauth/lab/browser-answers';
import { SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { readBody } from '@/lib/oauth/lab/parameters';
import { Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';
import { readTicket } from '@/lib/oauth/lab/tickets';

/**
 * Reads the form of a page that asks the user: a ticket and `approve` or `deny`. The ticket is secret and works once.
 * @returns the answer, and the payload of the ticket; null if the form cannot be used
 */
export async function readDecision<Pending>(
  request: Request,
  kind: 'consent' | 'device-consent' | 'logout',
  lab: Lab,
): Promise<{ isApproved: boolean; pending: Pending } | null> {
  const body = await readBody(request, new Violations(lab.controls));
  const ticket = body?.get('ticket');
  const decision = body?.get('decision');
  const sameSite = request.headers.get('sec-fetch-site') !== 'cross-site';
  if (!sameSite || ticket === undefined || (decision !== 'approve' && decision !== 'deny')) return null;
  const stored = await readTicket(lab, kind, ticket);
  if (stored === null || !(await lab.state.claim(kind, stored.hash, lab.now(), null))) return null;
  return { isApproved: decision === 'approve', pending: JSON.parse(stored.payload) };
}

/** Answers a form whose ticket was used or has expired. */
export function refuseTicket(): Response {
  const page = {
    status: 400,
    title: 'This form cannot be used',
    body: '<p>Its page was already submitted, has expired, or is from another server. Start again at the application.</p>',
  };
  return answerPage(page, SECURE_CONTROLS);
}
