import { summarizeAnswer } from '@/components/alerts/webhook-state';
import { CopyButton } from '@/components/format/copy-button';
import { RelativeTime } from '@/components/format/relative-time';
import { Badge } from '@/components/ui/badge';
import type { Delivery } from '@/lib/contract/webhooks';
import { formatNumber } from '@/lib/format-number';
import { indentJson } from '@/lib/json';

/** Shows the sent message, and each attempt with its answer. */
export function DeliveryDetail({ delivery: { request, attempts } }: { delivery: Delivery }) {
  return (
    <div className="flex flex-col gap-3 rounded-md border bg-muted/40 p-3 text-xs">
      {request === null ? null : (
        <section aria-label="Request" className="flex flex-col gap-1.5">
          <h3 className="flex items-center gap-1 font-medium">
            Request <CopyButton value={request.body} label="Copy the body of the request" />
          </h3>
          <p className="font-mono break-all">
            {request.method} {request.url}
          </p>
          <Headers headers={request.headers} />
          <Body text={indentJson(request.body)} />
        </section>
      )}
      {[...attempts].reverse().map((attempt, index) => (
        <section key={attempt.at} aria-label={`Attempt ${attempts.length - index}`} className="flex flex-col gap-1.5">
          <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1 font-medium">
            Attempt {attempts.length - index}
            <Badge variant={isSuccess(attempt.status) ? 'success' : 'destructive'}>
              {attempt.status ?? 'no answer'}
            </Badge>
            <span className="font-normal text-muted-foreground tabular-nums">
              {formatNumber(attempt.duration_ms)} ms, <RelativeTime at={attempt.at} />
            </span>
          </h3>
          <Headers headers={attempt.headers} />
          {attempt.answer === '' ? (
            <p className="text-muted-foreground">Empty answer.</p>
          ) : (
            <Body text={attempt.status === null ? summarizeAnswer(attempt) : attempt.answer} />
          )}
        </section>
      ))}
      {attempts.length === 0 ? <p className="text-muted-foreground">Not sent yet.</p> : null}
    </div>
  );
}

const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300;

function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  const entries = Object.entries(headers);
  if (entries.length === 0) return null;
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-0.5 font-mono">
      {entries.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted-foreground">{name}</dt>
          <dd className="break-all">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Body({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll a long body only if it can be focused.
    <pre tabIndex={0} className="max-h-48 overflow-auto rounded-sm bg-card p-2 font-mono whitespace-pre-wrap break-all">
      {text}
    </pre>
  );
}
