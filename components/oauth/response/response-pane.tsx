'use client';

import type { ReactNode } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { formatUtc } from '@/components/format/relative-time';
import type { Answer } from '@/components/oauth/builder/sent-request';
import { Disclosure } from '@/components/oauth/exchange/disclosure';
import { SafeText } from '@/components/oauth/exchange/json-text';
import { StatusBadge } from '@/components/oauth/exchange/status-badge';
import { ComparedLines } from '@/components/oauth/response/compared-lines';
import { LimitedNote } from '@/components/oauth/response/limited-note';
import { Alert } from '@/components/ui/alert';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import type { ComparedLine } from '@/lib/oauth/builder/differing-lines';

function Facts({ answer, at }: { answer: Extract<Answer, { kind: 'answer' }>; at: number }) {
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
function AnswerBody({ answer, label }: { answer: Extract<Answer, { kind: 'answer' }>; label: string }) {
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
  answer: Answer | null;
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
          <Alert variant="destructive" title="There is no answer">
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
