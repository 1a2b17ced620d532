import { formatWindow } from '@/components/format/duration';
import { useNow } from '@/components/format/use-now';
import { type BuilderResponse, listControls, readLimitWait, readText } from '@/components/oauth/builder/builder-state';
import { ControlLinks } from '@/components/oauth/builder/request/control-links';
import { Alert } from '@/components/ui/alert';
import { formatCount } from '@/lib/format-number';
import { findHeader } from '@/lib/oauth/client/check-answer';
import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';

/** Explains an answer: who refused it and why, or which controls should have. `at` is in milliseconds. */
export function AnswerNote({ answer, at }: { answer: BuilderResponse; at: number }) {
  if (answer.kind === 'fault') {
    return (
      <Alert variant="destructive" title="No response">
        {answer.text}
      </Alert>
    );
  }
  const wait = readLimitWait(answer);
  if (wait !== null) return <LimitedNote answer={answer} seconds={wait} since={at} />;
  const { refusedBy, waived } = listControls(answer);
  if (waived.length > 0) {
    return (
      <Alert variant="destructive" title="Accepted, and should have been refused">
        <ControlLinks label="Should have been refused by" ids={waived} prefix="Switched off:" className="mt-1" />
      </Alert>
    );
  }
  if (answer.status < 400) return null;
  const description = readText(answer, 'error_description');
  return (
    <Alert variant="warning" title={refusedBy.length > 0 ? 'Refused' : 'Refused: the request itself is not valid'}>
      {description === null ? null : <p>{escapeInvisibleCharacters(description.slice(0, 500))}</p>}
      {refusedBy.length > 0 ? <ControlLinks label="Blocked by" ids={refusedBy} prefix="by" className="mt-1.5" /> : null}
    </Alert>
  );
}

type Answer = Extract<BuilderResponse, { kind: 'answer' }>;

/**
 * Reports that Sluice's own rate limit refused a request, names the limit, and counts down the wait. `since` is in
 * milliseconds.
 */
function LimitedNote({ answer, seconds, since }: { answer: Answer; seconds: number; since: number }) {
  const now = useNow();
  const left = now === null ? seconds : Math.ceil((since - now) / 1000 + seconds);
  const limit = describeLimitInForce(answer);
  return (
    <Alert variant="warning" title="Refused by Sluice's own rate limit">
      The lab never saw this request. {limit === null ? '' : `The limit in force is ${limit}. `}
      {left > 0 ? `Wait ${left} s, then send it again.` : 'You can send it again now.'}
    </Alert>
  );
}

/** Describes the limit from an answer's headers: `8 requests in 1 min`. The window is omitted if no header has it. */
export function describeLimitInForce(answer: Answer): string | null {
  const limit = findHeader(answer, 'x-ratelimit-limit') ?? '';
  if (!/^\d+$/.test(limit)) return null;
  const policy = (findHeader(answer, 'ratelimit-policy') ?? '')
    .split(',')
    .find((item) => new RegExp(`;q=${limit}(?:;|$)`).test(item));
  const [, window] = /;w=(\d+)/.exec(policy ?? '') ?? [];
  const requests = formatCount(Number(limit), 'request');
  return window === undefined ? requests : `${requests} in ${formatWindow(Number(window))}`;
}
