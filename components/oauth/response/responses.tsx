'use client';

import { useMemo } from 'react';
import { shownRequest } from '@/components/oauth/builder/builder-state';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { ControlLink } from '@/components/oauth/control-link';
import { answerText } from '@/components/oauth/response/answer-text';
import { ResponsePane } from '@/components/oauth/response/response-pane';
import { Alert } from '@/components/ui/alert';
import { differingLines } from '@/lib/oauth/builder/differing-lines';

/** What the secure configuration makes of the request. */
export function BlockedBy({ onOpen }: { onOpen: (control: string) => void }) {
  const sent = shownRequest(useBuilder().state);
  if (!sent?.secure) return null;
  if (sent.blockedBy.length === 0) {
    const refused = sent.secure.kind === 'answer' && sent.secure.status >= 400;
    return (
      <Alert>
        {refused
          ? 'The secure configuration refuses this request too, and not because of a control: the request itself is not in order.'
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
        placeholder="Nothing was sent yet. Fill in the request and press Send: the response appears here."
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
              : 'This request was not compared. Send it again to see what the secure configuration answers.'
          }
        />
      ) : null}
    </>
  );
}
