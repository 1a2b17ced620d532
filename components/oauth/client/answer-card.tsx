import { ArrowRight, CircleCheck, CircleDashed, CircleX, Send } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { CitedText } from '@/components/format/cited-text';
import { CopyButton } from '@/components/format/copy-button';
import { EmptyState } from '@/components/list/empty-state';
import { type ClientEntry, findNextStep, listTokens } from '@/components/oauth/client/client-state';
import { useClient } from '@/components/oauth/client/use-client';
import { SourceLinks } from '@/components/oauth/control-labels';
import { StatusBadge } from '@/components/oauth/exchange-list';
import { SafeText } from '@/components/oauth/safe-text';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card, CardContent, CardHeader, CardTitle } from '@/components/ui/card';
import { cn } from '@/components/ui/cn';
import { Disclosure } from '@/components/ui/disclosure';
import type { ReturnedParameters } from '@/lib/oauth/client/check-authorization-response';
import type { ClientCheck } from '@/lib/oauth/client/client-check';
import { CLIENT_STEPS } from '@/lib/oauth/client/client-step';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import { readToken, type TokenPart } from '@/lib/oauth/token/read-token';

/** Shows the last answer: the checks a client must make, its tokens, and the next step of the flow. */
export function AnswerCard() {
  const { state, dispatch, metadata } = useClient();
  const entry = state.entries.at(-1);
  const card = useRef<HTMLElement>(null);
  const id = entry?.id;
  useEffect(() => {
    if (id !== undefined) card.current?.scrollIntoView({ block: 'nearest' });
  }, [id]);
  if (entry === undefined)
    return (
      <Card aria-label="Response" className="border-0 bg-transparent">
        <EmptyState icon={Send} title="Nothing sent yet">
          The response appears here, with what a client must check of it.
        </EmptyState>
      </Card>
    );
  const answer = entry.exchanges.at(-1)?.response;
  const next = findNextStep(entry.step, state, metadata);
  const failed = entry.checks.some(({ outcome }) => outcome === 'failed');
  return (
    <Card ref={card} aria-label="Response" className="scroll-mt-16">
      <CardHeader>
        <CardTitle className="flex flex-wrap items-center gap-2">
          Response <Badge variant="outline">{CLIENT_STEPS[entry.step].label}</Badge>
          {answer ? <StatusBadge status={answer.status} /> : null}
        </CardTitle>
        {next === null || failed ? null : (
          <Button size="sm" onClick={() => dispatch({ type: 'step', step: next })}>
            Next: {CLIENT_STEPS[next].label} <ArrowRight aria-hidden />
          </Button>
        )}
      </CardHeader>
      <CardContent className="flex flex-col gap-4" aria-live="polite">
        <Checks checks={entry.checks} />
        {entry.returned === null ? null : <ReturnedParameterList returned={entry.returned} />}
        <Tokens entry={entry} />
        {answer ? (
          <div>
            <div className="mb-1 flex items-center justify-between">
              <h3 className="text-sm font-medium">Body</h3>
              <CopyButton value={answer.body} label="Copy body" />
            </div>
            {answer.body === '' ? (
              <p className="text-sm text-muted-foreground">The body is empty.</p>
            ) : (
              <SafeText label="Body of the response" text={answer.body} className="max-h-80" />
            )}
          </div>
        ) : null}
      </CardContent>
    </Card>
  );
}

const OUTCOMES = {
  passed: { icon: CircleCheck, looks: 'text-success-text', name: 'Passed:' },
  failed: { icon: CircleX, looks: 'text-destructive-text', name: 'Failed:' },
  not_checked: { icon: CircleDashed, looks: 'text-muted-foreground', name: 'Not checked:' },
} as const;

function Checks({ checks }: { checks: readonly ClientCheck[] }) {
  if (checks.length === 0) return null;
  return (
    <ul aria-label="Checks" className="flex flex-col gap-2">
      {checks.map(({ name, outcome, text, source }) => {
        const { icon: Icon, looks, name: outcomeName } = OUTCOMES[outcome];
        return (
          <li key={name} className="flex items-start gap-2 text-sm">
            <Icon aria-label={outcomeName} className={cn('mt-0.5 size-4 shrink-0', looks)} />
            <span className="min-w-0">
              <code className="font-mono text-xs font-medium">{name}</code>{' '}
              <span className={outcome === 'failed' ? looks : undefined}>
                <CitedText>{escapeInvisibleCharacters(text)}</CitedText>
              </span>{' '}
              <span className="text-xs whitespace-nowrap text-muted-foreground">
                <SourceLinks sources={[source]} />
              </span>
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function ReturnedParameterList({ returned }: { returned: ReturnedParameters }) {
  return (
    <dl aria-label="What the browser came back with" className="divide-y rounded-md border">
      {Object.entries(returned).map(([name, value = '']) => (
        <div key={name} className="flex items-center gap-3 px-3 py-1.5">
          <dt className="w-32 shrink-0 font-mono text-xs text-muted-foreground">
            {escapeInvisibleCharacters(name.slice(0, 64))}
          </dt>
          <dd dir="ltr" className="min-w-0 flex-1 font-mono text-xs wrap-anywhere">
            {escapeInvisibleCharacters(value)}
          </dd>
          <dd className="shrink-0">
            <CopyButton value={value} label={`Copy ${name}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

const readPart = ({ text, encoded }: TokenPart) => text ?? encoded;

/** Shows the received tokens, decoded if possible. */
function Tokens({ entry }: { entry: ClientEntry }) {
  const tokens = listTokens(entry);
  if (tokens.length === 0) return null;
  return (
    <ul aria-label="Tokens" className="flex flex-col divide-y rounded-md border px-2 py-1">
      {tokens.map(({ name, token }) => {
        const reading = readToken(token);
        const readable = reading.kind === 'signed' || reading.kind === 'encrypted';
        return (
          <li key={name} className="flex items-start gap-1">
            <Disclosure
              className="min-w-0 flex-1"
              title={
                <span className="flex flex-wrap items-center gap-2">
                  {name} <Badge variant="outline">{readable ? 'JWT' : 'opaque'}</Badge>
                </span>
              }
            >
              <div className="flex flex-col gap-2">
                <SafeText label={name} text={token} className="max-h-24" />
                {reading.kind === 'signed' ? (
                  <>
                    <SafeText label={`Header of the ${name.toLowerCase()}`} text={readPart(reading.header)} />
                    <SafeText label={`Claims of the ${name.toLowerCase()}`} text={readPart(reading.payload)} />
                  </>
                ) : null}
                {readable ? (
                  <a
                    href={`/oauth/token#token=${encodeURIComponent(token)}`}
                    target="_blank"
                    rel="noreferrer"
                    className="self-start text-sm text-primary underline underline-offset-3"
                  >
                    Open in the token workbench
                  </a>
                ) : null}
              </div>
            </Disclosure>
            <CopyButton value={token} label={`Copy ${name.toLowerCase()}`} className="mt-1.5" />
          </li>
        );
      })}
    </ul>
  );
}
