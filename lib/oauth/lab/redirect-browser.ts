import type { Controls } from '@/lib/oauth/lab/controls';
import { answerPage, escapeHtml } from '@/lib/oauth/lab/html-page';

/** Where a server as weak as this request asked for would have sent the browser. The lab does not. */
export const WOULD_REDIRECT_HEADER = 'Sluice-Lab-Location';

/**
 * Sends a browser on. Only to a registered address: for any other the lab shows a page that says so and links nowhere,
 * however weak it was told to be, so that it is never an open redirector.
 */
export function redirectBrowser(target: string, registered: boolean, controls: Controls): Response {
  if (registered) {
    return new Response(null, {
      status: 303,
      headers: {
        Location: target,
        'Cache-Control': 'no-store',
        ...(controls['referrer-policy'] ? { 'Referrer-Policy': 'no-referrer' } : {}),
      },
    });
  }
  return answerPage({
    status: 200,
    title: 'This address is not registered',
    body: `<p>With the controls that are on for this request, an authorization server would now send the browser, and what it carries, to:</p>
<p><code>${escapeHtml(target)}</code></p>
<p>The lab stops here. It sends browsers to registered addresses only.</p>`,
    frameProtection: controls['frame-protection'],
    referrerPolicy: controls['referrer-policy'],
    headers: { [WOULD_REDIRECT_HEADER]: new URL(target).href },
  });
}
