import { ExplanationTrace } from '@/components/explanation/explanation-trace';
import { CopyButton } from '@/components/format/copy-button';
import { useTimeZone } from '@/components/format/time-zone';
import { useNow } from '@/components/format/use-now';
import { buildAnswer, type HelpAnswer } from '@/components/help/answer';
import { LastHour } from '@/components/help/last-hour';
import { RangeHelp } from '@/components/help/range-help';
import { useHelpFacts } from '@/components/help/use-help-facts';
import { WhatHelps } from '@/components/help/what-helps';
import { ClientName } from '@/components/identifier/client-name';
import type { HelpRequest } from '@/components/links/help-target';
import { buildExplainHref, formatQuestion } from '@/components/links/question-url';
import { buildInspectHref, isWideRange, TARGET_LABEL } from '@/components/links/target';
import { ListError } from '@/components/list/list-error';
import { Drawer } from '@/components/shell/drawer';
import { Badge } from '@/components/ui/badge';
import { cn } from '@/components/ui/cn';
import { Link } from '@/components/ui/link';
import { Shortened } from '@/components/ui/shortened';
import { Skeleton } from '@/components/ui/skeleton';

interface HelpDrawerProps {
  request: HelpRequest;
  onClose: () => void;
}

/** Drawer that explains why a caller is refused and offers actions that help. The whole console shares it. */
export default function HelpDrawer({ request, onClose }: HelpDrawerProps) {
  return (
    <Drawer title={`Help ${request.identifier}`} onClose={onClose}>
      <DrawerHead request={request} />
      {isWideRange(request) ? <RangeHelp range={request.identifier} /> : <DrawerBody request={request} />}
    </Drawer>
  );
}

function DrawerHead({ request: { type, identifier } }: { request: HelpRequest }) {
  return (
    <div className="flex min-w-0 items-center gap-2 pr-8">
      <Badge>{TARGET_LABEL[type]}</Badge>
      {type === 'api_key' ? (
        <ClientName id={identifier} />
      ) : (
        <Shortened text={identifier} className="font-mono text-sm" />
      )}
      <CopyButton value={identifier} label="Copy identifier" />
    </div>
  );
}

const TONES: Record<HelpAnswer['tone'], string> = {
  refused: 'border-l-destructive',
  open: 'border-l-success',
  bypassed: 'border-l-chart-bypassed',
  nobody: 'border-l-warning',
};

function DrawerBody({ request }: { request: HelpRequest }) {
  const { zone } = useTimeZone();
  const now = useNow();
  const { listed, decision, question, explanation } = useHelpFacts(request);
  const { data, error, refetch } = explanation;
  if (!data && error) return <ListError error={error} onRetry={() => void refetch()} />;
  if (!data || now === null) {
    return (
      <>
        <Skeleton className="h-14" />
        <Skeleton className="h-40" />
        <Skeleton className="h-64" />
      </>
    );
  }
  const answer = buildAnswer({ request, decision, explanation: data, now, zone });
  return (
    <>
      <p
        aria-live="polite"
        className={cn(
          'border-l-2 pl-3 text-base leading-snug font-medium break-words tabular-nums',
          TONES[answer.tone],
        )}
      >
        {answer.sentence}
      </p>
      <WhatHelps request={request} decision={decision} explanation={data} />
      <section aria-labelledby="help-why" className="flex flex-col gap-3">
        <div className="flex items-baseline justify-between gap-3">
          <h3 id="help-why" className="text-sm font-semibold">
            How the next request would be decided
          </h3>
          <Link
            href={buildExplainHref({ ...formatQuestion(question) })}
            className="shrink-0 rounded-xs text-xs text-primary underline-offset-4 hover:underline"
          >
            Explain another request
          </Link>
        </div>
        <ExplanationTrace explanation={data} request={question} />
      </section>
      {listed ? <LastHour request={request} refusals={listed} bypassed={answer.tone === 'bypassed'} /> : null}
      <Link
        href={buildInspectHref(request)}
        className="w-fit rounded-xs text-sm text-primary underline-offset-4 hover:underline"
      >
        Inspect all counters
      </Link>
    </>
  );
}
