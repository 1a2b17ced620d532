import dynamic from 'next/dynamic';
import { useMemo, useState } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { formatUtc } from '@/components/format/relative-time';
import { useNow } from '@/components/format/use-now';
import { type BuilderResponse, shownRequest, textOf } from '@/components/oauth/builder/builder-state';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { Disclosure } from '@/components/oauth/disclosure';
import { StatusBadge } from '@/components/oauth/exchange-list';
import { useLab } from '@/components/oauth/lab-context';
import { prettyJson, SafeText, ScrollBox } from '@/components/oauth/safe-text';
import { Alert } from '@/components/ui/alert';
import { Badge } from '@/components/ui/badge';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Segmented } from '@/components/ui/segmented';
import { type ComparedLine, differingLines } from '@/lib/oauth/builder/differing-lines';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** With the cryptography of the analysis, only fetched for the first token. */
const TokenView = dynamic(() => import('@/components/oauth/builder/token-view'), { ssr: false });

type Answer = Extract<BuilderResponse, { kind: 'answer' }>;

/** Longer answers are cut before they are compared, which takes its time. Characters. */
const LONGEST = 20_000;
/** Headers that differ between any two answers and say nothing about the request. */
const NOISE = /^(connection|date|keep-alive|sluice-lab-off|vary|x-ratelimit-remaining|x-ratelimit-reset|x-request-id)$/;

/** An answer as lines to compare: status, telling headers, body. Safe to show. */
export function answerText(answer: BuilderResponse): string {
  if (answer.kind === 'fault') return answer.text;
  const headers = headerLines(answer.headers.filter(([name]) => !NOISE.test(name)));
  const text = [`HTTP ${answer.status}`, ...headers, '', prettyJson(answer.body)].join('\n');
  return visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

const headerLines = (headers: Answer['headers']) => headers.map(([name, value]) => `${name}: ${value}`);

/** Controls by id, leading to their rows in the matrix; an unknown id leads nowhere. */
export function ControlLinks(links: { label: string; ids: readonly string[]; prefix?: string; className?: string }) {
  const { label, ids, prefix, className } = links;
  const { openControl } = useBuilder();
  const { controls } = useLab();
  const chip = 'inline-flex h-6 items-center rounded-sm border px-1.5 font-mono';
  return (
    <ul className={cn('flex flex-wrap items-center gap-1.5 text-xs', className)} aria-label={label}>
      {prefix ? <li className="text-muted-foreground">{prefix}</li> : null}
      {ids.map((id) => {
        const control = controls.find((candidate) => candidate.id === id);
        return (
          <li key={id}>
            <a
              href={control && `#control-${id}`}
              title={control?.title}
              className={cn(chip, control && 'bg-card text-foreground hover:bg-accent')}
              onClick={(event) => {
                event.preventDefault();
                if (control) openControl(id);
              }}
            >
              {visibleText(id.slice(0, 64))}
            </a>
          </li>
        );
      })}
    </ul>
  );
}

/** What the secure configuration makes of the request. */
export function BlockedBy() {
  const { secure, blockedBy: ids } = shownRequest(useBuilder().state) ?? { secure: null, blockedBy: [] };
  if (!secure) return null;
  if (ids.length > 0) {
    const count = ids.length === 1 ? 'one control' : `${ids.length} controls`;
    return (
      <Alert variant="warning" title={`Would be blocked by ${count}`}>
        <ControlLinks label="Would be blocked by" ids={ids} className="mt-1.5" />
      </Alert>
    );
  }
  return (
    <Alert>
      {secure.kind === 'answer' && secure.status >= 400
        ? 'The secure configuration refuses this request too, but not because of a control: the request itself is invalid.'
        : 'The secure configuration accepts this request as well.'}
    </Alert>
  );
}

/** The answer to the shown request; with comparison, beside it that of the secure configuration. */
export function Responses() {
  const { state } = useBuilder();
  const { answer, secure, at } = shownRequest(state) ?? { answer: null, secure: null, at: 0 };
  const differing = useMemo(
    () => (answer && secure ? differingLines(answerText(answer), answerText(secure)) : null),
    [answer, secure],
  );
  const unsent = 'Nothing sent yet. Fill in the request and press Send: the response appears here.';
  const uncompared = answer
    ? "This request was not compared. Send it again to see the secure configuration's response."
    : 'The same request is also sent with every control on. Its response appears here.';
  const cards = [
    { title: 'Response', response: answer, lines: differing?.left, placeholder: unsent },
    { title: 'Response (secure config)', response: secure, lines: differing?.right, placeholder: uncompared },
  ];
  return cards.slice(0, state.compare ? 2 : 1).map(({ title, response, lines, placeholder }) => (
    <Card key={title} aria-label={title}>
      <CardHeader>
        <CardTitle>{title}</CardTitle>
        {response?.kind === 'answer' ? <Facts answer={response} at={at} /> : null}
      </CardHeader>
      <CardContent className="flex flex-1 flex-col gap-3" aria-live="polite">
        {response === null ? (
          <div className="grid min-h-40 flex-1 place-items-center rounded-md border border-dashed px-6 text-center text-sm text-balance text-muted-foreground">
            {placeholder}
          </div>
        ) : response.kind === 'fault' ? (
          <Alert variant="destructive" title="No response">
            {response.text}
          </Alert>
        ) : (
          <>
            {response.limitedFor === null ? null : <LimitedNote seconds={response.limitedFor} since={at} />}
            {lines ? (
              <ComparedLines lines={lines} label={`${title}, line by line`} />
            ) : (
              <AnswerBody answer={response} label={title} />
            )}
          </>
        )}
      </CardContent>
    </Card>
  ));
}

function Facts({ answer, at }: { answer: Answer; at: number }) {
  const { status, durationMs, body, headers } = answer;
  const remaining = headers.find(([name]) => name === 'x-ratelimit-remaining')?.[1];
  return (
    <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted-foreground tabular-nums">
      <StatusBadge status={status} />
      <span>{durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms</span>
      <span>{new TextEncoder().encode(body).length.toLocaleString('en-US')} bytes</span>
      <time dateTime={new Date(at).toISOString()}>{formatUtc(at).slice(11)}</time>
      {remaining && /^\d+$/.test(remaining) ? <span>{remaining} left of the rate limit</span> : null}
    </p>
  );
}

/** Says that Sluice's own rate limit refused a request, and how long to wait. `since` in milliseconds. */
function LimitedNote({ seconds, since }: { seconds: number; since: number }) {
  const now = useNow();
  const left = now === null ? seconds : Math.ceil((since - now) / 1000 + seconds);
  return (
    <Alert variant="warning" title="Refused by Sluice's own rate limit">
      The lab never saw this request. {left > 0 ? `Wait ${left} s, then send it again.` : 'You can send it again now.'}
    </Alert>
  );
}

/** An answer, with the lines marked that the other answer does not have. */
function ComparedLines({ lines, label }: { lines: readonly ComparedLine[]; label: string }) {
  const line = 'flex gap-2 border-l-2 border-transparent px-2 wrap-anywhere whitespace-pre-wrap';
  return (
    <ScrollBox label={label} className="max-h-128 bg-muted/50 py-2">
      <ol className="font-mono text-xs leading-5">
        {lines.map(({ text, differs }, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one answer never move
            key={index}
            dir="ltr"
            data-differs={differs || undefined}
            className={cn(line, differs && 'border-warning bg-warning-soft text-warning-text')}
          >
            <span aria-hidden className="w-2 shrink-0 select-none">
              {differs ? '≠' : ''}
            </span>
            {differs ? <span className="sr-only">differs: </span> : null}
            <span className="min-w-0 flex-1">{text || ' '}</span>
          </li>
        ))}
      </ol>
    </ScrollBox>
  );
}

function AnswerBody({ answer, label }: { answer: Answer; label: string }) {
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
        <SafeText label={`${label}: headers`} text={headerLines(answer.headers).join('\n')} />
      </Disclosure>
    </>
  );
}

const TOKEN_LABELS = { access_token: 'Access token', id_token: 'ID token' };

/** The tokens of the shown exchange: those that were issued, or the one that was presented. */
export function TokenCard() {
  const { state, request } = useBuilder();
  const sent = shownRequest(state);
  const [chosen, setChosen] = useState<keyof typeof TOKEN_LABELS>('access_token');
  const presented = state.tab === 'data' ? request.fields.access_token : '';
  const tokens = (['access_token', 'id_token'] as const).flatMap((name) => {
    const token = presented ? name === 'access_token' && presented : sent && textOf(sent.answer, name);
    return token ? [{ name, token }] : [];
  });
  const shown = tokens.find(({ name }) => name === chosen) ?? tokens[0];
  if (!shown) return null;
  const options = tokens.map(({ name }) => ({ value: name, label: TOKEN_LABELS[name] }));
  return (
    <Card aria-label="Token">
      <CardHeader>
        <CardTitle className="flex items-center gap-2">
          Token <Badge variant="outline">{presented ? 'presented' : 'issued'}</Badge>
        </CardTitle>
        {tokens.length > 1 ? (
          <Segmented label="Which token" value={shown.name} onChange={setChosen} options={options} />
        ) : null}
      </CardHeader>
      <CardContent>
        <TokenView token={shown.token} label={TOKEN_LABELS[shown.name]} />
      </CardContent>
    </Card>
  );
}
