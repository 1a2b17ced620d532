'use client';

import type { ReactNode } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { formatUtc } from '@/components/format/relative-time';
import { useNow } from '@/components/format/use-now';
import type { BuilderResponse } from '@/components/oauth/builder/session';
import { Disclosure } from '@/components/oauth/disclosure';
import { ScrollBox } from '@/components/oauth/exchange/scroll-box';
import { StatusBadge } from '@/components/oauth/exchange-list';
import { SafeText } from '@/components/oauth/safe-text';
import { Alert } from '@/components/ui/alert';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import type { ComparedLine } from '@/lib/oauth/builder/differing-lines';

/** An answer line by line, with those marked that the other answer does not have. */
function ComparedLines({ lines, label }: { lines: readonly ComparedLine[]; label: string }) {
  return (
    <ScrollBox label={label} className="max-h-128 bg-muted/50 py-2">
      <ol className="font-mono text-xs leading-5">
        {lines.map((line, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one answer never move
            key={index}
            dir="ltr"
            data-differs={line.differs || undefined}
            className={cn(
              'flex gap-2 border-l-2 border-transparent px-2 wrap-anywhere whitespace-pre-wrap',
              line.differs && 'border-warning bg-warning-soft text-warning-text',
            )}
          >
            <span aria-hidden className="w-2 shrink-0 select-none">
              {line.differs ? '≠' : ''}
            </span>
            {line.differs ? <span className="sr-only">differs: </span> : null}
            <span className="min-w-0 flex-1">{line.text || ' '}</span>
          </li>
        ))}
      </ol>
    </ScrollBox>
  );
}

/** Says that Sluice's own rate limit refused a request, and how long to wait. `since` in milliseconds. */
function LimitedNote({ seconds, since }: { seconds: number; since: number }) {
  const now = useNow();
  const left = now === null ? seconds : Math.max(0, Math.ceil((since + seconds * 1000 - now) / 1000));
  return (
    <Alert variant="warning" title="Refused by Sluice's own rate limit">
      The lab never saw this request: /auth/* admits 10 requests a minute from one address.{' '}
      {left > 0 ? `Wait ${left} s, then send it again.` : 'You can send it again now.'}
    </Alert>
  );
}

function Facts({ answer, at }: { answer: Extract<BuilderResponse, { kind: 'answer' }>; at: number }) {
  const remaining = answer.headers.find(([name]) => name === 'x-ratelimit-remaining')?.[1];
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted-foreground tabular-nums">
      <StatusBadge status={answer.status} />
      <span>{answer.durationMs.toFixed(answer.durationMs < 10 ? 1 : 0)} ms</span>
      <span>{new TextEncoder().encode(answer.body).length.toLocaleString('en-US')} bytes</span>
      <time dateTime={new Date(at).toISOString()}>{formatUtc(at).slice(11)}</time>
      {remaining && /^\d+$/.test(remaining) ? <span>{remaining} left of the rate limit</span> : null}
    </p>
  );
}

/** The body and the headers of an answer. */
function AnswerBody({ answer, label }: { answer: Extract<BuilderResponse, { kind: 'answer' }>; label: string }) {
  const headers = answer.headers.map(([name, value]) => `${name}: ${value}`).join('\n');
  return (
    <>
      <div>
        <div className="mb-1 flex items-center justify-between">
          <h3 className="text-sm font-medium">Body</h3>
          <CopyButton value={answer.body} label="Copy body" />
        </div>
        {answer.body === '' ? (
          <p className="text-sm text-muted-foreground">The body is empty.</p>
        ) : (
          <SafeText label={`${label}: body`} text={answer.body} className="max-h-128" />
        )}
      </div>
      <Disclosure title={<span className="font-medium">Headers ({answer.headers.length})</span>} className="-mx-1.5">
        <SafeText label={`${label}: headers`} text={headers} />
      </Disclosure>
    </>
  );
}

/** One answer. `lines` shows it line by line beside another one. */
export function ResponsePane({
  title,
  answer,
  at,
  lines,
  placeholder,
}: {
  title: string;
  answer: BuilderResponse | null;
  /** When the request was sent, milliseconds. */
  at: number;
  lines: readonly ComparedLine[] | null;
  placeholder: ReactNode;
}) {
  return (
    <Card aria-label={title}>
      <CardHeader>
        <CardTitle>{title}</CardTitle>
        {answer?.kind === 'answer' ? <Facts answer={answer} at={at} /> : null}
      </CardHeader>
      <CardContent className="flex flex-1 flex-col gap-3" aria-live="polite">
        {answer === null ? (
          <div className="grid min-h-40 flex-1 place-items-center rounded-md border border-dashed px-6 text-center text-sm text-balance text-muted-foreground">
            {placeholder}
          </div>
        ) : answer.kind === 'fault' ? (
          <Alert variant="destructive" title="No response">
            {answer.text}
          </Alert>
        ) : (
          <>
            {answer.limitedFor === null ? null : <LimitedNote seconds={answer.limitedFor} since={at} />}
            {lines ? (
              <ComparedLines lines={lines} label={`${title}, line by line`} />
            ) : (
              <AnswerBody answer={answer} label={title} />
            )}
          </>
        )}
      </CardContent>
    </Card>
  );
}
