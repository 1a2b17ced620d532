import { blockedBy, type Exchange, recordExchange, responseHeader } from '@/lib/oauth/assessment/exchange';
import { CONTROLS_HEADER } from '@/lib/oauth/lab/controls-header';
import { handleLabRequest } from '@/lib/oauth/lab/handle-lab-request';
import { overlayState } from '@/lib/oauth/lab/memory-state';
import { WAIVED_HEADER } from '@/lib/oauth/lab/respond';
import type { LabServices } from '@/lib/oauth/lab/services';

/** The same request, the same instant, with the controls that were asked for and with all of them. */
export interface Comparison {
  given: Exchange;
  secure: Exchange;
  /** The controls that refuse the request in the secure configuration, or would have. Empty when it is in order. */
  blockedBy: readonly string[];
}

/**
 * Sends a request to the lab twice. First with every control on, in a view of the state in which nothing is kept: a code
 * that is looked at is not used up. Then as it is, for real.
 */
export async function compareRequest(request: Request, lab: LabServices, clock: () => number): Promise<Comparison> {
  const now = lab.now();
  const instant: LabServices = { ...lab, now: () => now };
  const secureRequest = request.clone();
  secureRequest.headers.delete(CONTROLS_HEADER);
  const record = (label: string, sent: Request, services: LabServices) =>
    recordExchange(label, sent, { transport: (request) => handleLabRequest(request, services), clock });
  const secure = await record('Secure configuration', secureRequest, { ...instant, state: overlayState(lab.state) });
  const given = await record('As configured', request, instant);
  const waived = responseHeader(given, WAIVED_HEADER)?.split(', ') ?? [];
  return { given, secure, blockedBy: [...new Set([...blockedBy(secure), ...waived])] };
}
