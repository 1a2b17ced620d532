'use client';

import { useMemo } from 'react';
import { shownRequest } from '@/components/oauth/builder/builder-state';
import { ResponsePane } from '@/components/oauth/builder/response-pane';
import type { BuilderResponse } from '@/components/oauth/builder/session';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { ControlLink } from '@/components/oauth/control-link';
import { prettyJson } from '@/components/oauth/safe-text';
import { Alert } from '@/components/ui/alert';
import { differingLines } from '@/lib/oauth/builder/differing-lines';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** Compared answers are cut here, in characters: a comparison of lines takes its time. */
const LONGEST = 20_000;
/** Headers that differ between any two answers and say nothing about the request. */
const NOISE = new Set([
  'date',
  'x-request-id',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'connection',
  'keep-alive',
  'vary',
  'sluice-lab-off',
]);

/** An answer as lines for comparison: its status, the headers that tell something, its body. Safe to show. */
export function answerText(answer: BuilderResponse): string {
  if (answer.kind === 'fault') return answer.text;
  const headers = answer.headers.filter(([name]) => !NOISE.has(name)).map(([name, value]) => `${name}: ${value}`);
  const text = [`HTTP ${answer.status}`, ...headers, '', prettyJson(answer.body)].join('\n');
  return visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/** What the secure configuration makes of the request. */
export function BlockedBy({ onOpen }: { onOpen: (control: string) => void }) {
  const sent = shownRequest(useBuilder().state);
  if (!sent?.secure) return null;
  if (sent.blockedBy.length === 0) {
    const refused = sent.secure.kind === 'answer' && sent.secure.status >= 400;
    return (
      <Alert>
        {refused
          ? 'The secure configuration refuses this request too, but not because of a control: the request itself is invalid.'
          : 'The secure configuration accepts this request as well.'}
      </Alert>
    );
  }
  return (
    <Alert
      variant="warning"
      title={`Would be blocked by ${sent.blockedBy.length === 1 ? 'one control' : `${sent.blockedBy.length} controls`}`}
    >
      <ul className="mt-1.5 flex flex-wrap gap-1.5" aria-label="Would be blocked by">
        {sent.blockedBy.map((id) => (
          <li key={id}>
            <ControlLink id={id} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </Alert>
  );
}

/** The answer to the shown request, and beside it that of the secure configuration. */
export function Responses() {
  const { state } = useBuilder();
  const sent = shownRequest(state);
  const secure = sent?.secure ?? null;
  const answer = sent?.answer ?? null;
  const lines = useMemo(
    () => (answer && secure ? differingLines(answerText(answer), answerText(secure)) : null),
    [answer, secure],
  );
  return (
    <>
      <ResponsePane
        title="Response"
        answer={answer}
        at={sent?.at ?? 0}
        lines={lines?.left ?? null}
        placeholder="Nothing sent yet. Fill in the request and press Send: the response appears here."
      />
      {state.compare ? (
        <ResponsePane
          title="Response (secure config)"
          answer={secure}
          at={sent?.at ?? 0}
          lines={lines?.right ?? null}
          placeholder={
            sent === null
              ? 'The same request is also sent with every control on. Its response appears here.'
              : "This request was not compared. Send it again to see the secure configuration's response."
          }
        />
      ) : null}
    </>
  );
}
