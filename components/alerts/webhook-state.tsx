import { RelativeTime } from '@/components/format/relative-time';
import { Badge } from '@/components/ui/badge';
import type { DeliveryAttempt, Webhook } from '@/lib/contract/webhooks';
import { formatCount } from '@/lib/format-number';

/** Shows whether a webhook is on and what its receiver last answered. */
export function WebhookState({ webhook }: { webhook: Webhook }) {
  const { enabled, pending, failed, last_attempt: last } = webhook;
  return (
    <>
      {enabled ? null : <Badge>off</Badge>}
      {pending > 0 ? <Badge variant="warning">{formatCount(pending, 'event')} waiting</Badge> : null}
      {failed > 0 ? <Badge variant="destructive">{formatCount(failed, 'event')} failed</Badge> : null}
      {last ? (
        <span className="text-xs text-muted-foreground">
          {summarizeAnswer(last)} <RelativeTime at={last.at} />
        </span>
      ) : (
        <span className="text-xs text-muted-foreground">nothing sent yet</span>
      )}
    </>
  );
}

/** Summarizes the receiver's answer in a few words. */
export function summarizeAnswer({ status, answer }: Pick<DeliveryAttempt, 'status' | 'answer'>): string {
  if (status === null) return answer;
  return status >= 200 && status < 300
    ? `answered ${status}`
    : `answered ${status}${answer === '' ? '' : `: ${answer}`}`;
}
