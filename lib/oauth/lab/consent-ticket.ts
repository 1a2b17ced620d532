import { answerPage } from '@/lib/oauth/lab/browser-answers';
import { SECURE_CONTROLS } from '@/lib/oauth/lab/controls';
import { readBody } from '@/lib/oauth/lab/parameters';
import { Violations } from '@/lib/oauth/lab/respond';
import type { Lab } from '@/lib/oauth/lab/services';
import { readTicket } from '@/lib/oauth/lab/tickets';

/** The answer of a person on a page that asks for consent, with the stored request, as JSON. */
interface ConsentDecision {
  decision: 'approve' | 'deny';
  payload: string;
}

/**
 * Reads the form of a page that asks for consent, and uses its ticket up. The ticket is secret, works once, and
 * identifies the request that was shown. Returns null for a form of another site, or one that was sent before.
 */
export async function readConsentDecision(
  kind: 'consent' | 'device-consent',
  request: Request,
  lab: Lab,
): Promise<ConsentDecision | null> {
  const body = await readBody(request, new Violations(lab.controls));
  const ticket = body?.get('ticket');
  const decision = body?.get('decision');
  const sameSite = request.headers.get('sec-fetch-site') !== 'cross-site';
  if (!sameSite || ticket === undefined || (decision !== 'approve' && decision !== 'deny')) return null;
  const kept = await readTicket(lab, kind, ticket);
  const isFirst = kept !== null && (await lab.state.claim(kind, kept.hash, lab.now(), null));
  return isFirst ? { decision, payload: kept.payload } : null;
}

/** Answers a consent form whose ticket was used or has expired. */
export function refuseTicket(): Response {
  const page = {
    status: 400,
    title: 'This form cannot be used',
    body: '<p>Its page was already submitted, has expired, or is from another server. Start again at the application.</p>',
  };
  return answerPage(page, SECURE_CONTROLS);
}
