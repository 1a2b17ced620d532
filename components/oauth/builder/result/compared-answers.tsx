import { useMemo } from 'react';
import type { BuilderResponse } from '@/components/oauth/builder/builder-state';
import { AnswerStatus } from '@/components/oauth/builder/result/answer-status';
import { ScrollBox } from '@/components/oauth/safe-text';
import { cn } from '@/components/ui/cn';
import { splitComparableLines } from '@/lib/oauth/builder/comparable-answer';
import { type ComparableLine, type ComparedLine, compareLines } from '@/lib/oauth/builder/differing-lines';

const NOT_SENT = 'Not sent: an earlier request was refused.';

function splitLines(answer: BuilderResponse | null): ComparableLine[] {
  if (answer?.kind === 'answer') return splitComparableLines(answer);
  const text = answer?.text ?? NOT_SENT;
  return [{ text, compared: text }];
}

/**
 * Shows an answer next to that of the secure configuration and marks the lines that differ. `secure` is null if the
 * request was never sent to the secure configuration.
 */
export default function ComparedAnswers(props: { answer: BuilderResponse; secure: BuilderResponse | null }) {
  const { answer, secure } = props;
  const { left, right } = useMemo(() => compareLines(splitLines(answer), splitLines(secure)), [answer, secure]);
  const sides = [
    { title: 'Response', response: answer, lines: left },
    { title: 'Response (secure config)', response: secure, lines: right },
  ];
  return (
    <div className="@container">
      <div className="grid gap-3 @lg:grid-cols-2">
        {sides.map(({ title, response, lines }) => (
          <section key={title} aria-label={title} className="min-w-0">
            <h3 className="mb-1 flex items-center gap-2 text-sm font-medium">
              {title} {response ? <AnswerStatus answer={response} /> : null}
            </h3>
            <ComparedLines lines={lines} label={`${title}, line by line`} />
          </section>
        ))}
      </div>
      <p className="mt-1.5 text-xs text-muted-foreground">
        Marked lines differ. Random values are not compared: codes, signatures, ids, times. Tokens are shown decoded.
      </p>
    </div>
  );
}

/** Number of lines that stay visible above the first difference. */
const CONTEXT_LINES = 3;

/** Scrolls the box of an answer to a line that is below its visible part. */
function scrollToLine(line: HTMLLIElement | null): void {
  const box = line?.closest('[role=group]');
  if (!line || !box) return;
  const { top, bottom, height } = line.getBoundingClientRect();
  const visible = box.getBoundingClientRect();
  if (bottom > visible.bottom) box.scrollTop += top - visible.top - CONTEXT_LINES * height;
}

/** Shows an answer and marks the lines that the other answer lacks. */
function ComparedLines({ lines, label }: { lines: readonly ComparedLine[]; label: string }) {
  const first = lines.findIndex(({ differs }) => differs);
  const line = 'flex gap-1.5 border-l-2 border-transparent px-1.5 wrap-anywhere whitespace-pre-wrap';
  return (
    <ScrollBox label={label} className="max-h-128 bg-muted/50 py-2">
      <ol className="font-mono text-xs leading-5">
        {lines.map(({ text, differs }, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one answer never move
            key={index}
            ref={index === first ? scrollToLine : undefined}
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
