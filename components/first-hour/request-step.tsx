import { useQueryClient } from '@tanstack/react-query';
import { CircleCheck, CircleX } from 'lucide-react';
import { useState } from 'react';
import { call } from '@/components/api/call';
import { showErrorToast } from '@/components/api/explain-error';
import { StepText } from '@/components/first-hour/short-steps';
import { formatDuration } from '@/components/format/duration';
import { RoleButton } from '@/components/shell/role-button';
import { Link } from '@/components/ui/link';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { type CheckResult, check, checkBatch } from '@/lib/contract/check';
import { formatCount, formatNumber } from '@/lib/format-number';

/** Sample request from an address that is reserved for documentation (RFC 5737). */
const REQUEST = { method: 'GET', path: '/orders', ip: '203.0.113.7' };
const MANY = 100;

/** Sends checks as a server would, and shows the counts as they arrive. */
export function RequestStep({ decisions }: { decisions: number }) {
  const queries = useQueryClient();
  const [pending, setPending] = useState(false);
  const [sent, setSent] = useState<{ answers: CheckResult[]; before: number } | null>(null);
  const run = async (ask: () => Promise<CheckResult[]>) => {
    setPending(true);
    try {
      const answers = await ask();
      setSent({ answers, before: decisions });
      await queries.invalidateQueries({ queryKey: ['first-steps'] });
    } catch (error) {
      showErrorToast(error);
    }
    setPending(false);
  };
  const sendOne = () => run(async () => [(await call(check, { body: REQUEST })).value]);
  const sendBatch = () =>
    run(async () => (await call(checkBatch, { body: Array.from({ length: MANY }, () => REQUEST) })).value);
  return (
    <>
      <StepText>
        Asks Sluice about <code className="font-mono text-xs text-foreground">GET /orders</code> from{' '}
        <code className="font-mono text-xs text-foreground">203.0.113.7</code>, an address reserved for documentation,
        exactly as your server would with <code className="font-mono text-xs text-foreground">POST /v1/check</code>. It
        is counted like any other request.
      </StepText>
      <div className="flex flex-wrap gap-2">
        <RoleButton needs="operator" pending={pending} onClick={sendOne}>
          Send a request
        </RoleButton>
        {sent ? (
          <RoleButton needs="operator" variant="outline" pending={pending} onClick={sendBatch}>
            Send {MANY} at once
          </RoleButton>
        ) : null}
      </div>
      <div aria-live="polite" className="flex flex-col gap-2 empty:hidden">
        {sent ? <Answers answers={sent.answers} /> : null}
        {sent ? (
          <p className="text-sm text-muted-foreground tabular-nums">
            {decisions >= sent.before + sent.answers.length
              ? `Arrived: ${formatCount(sent.answers.length, 'decision')} counted, in the chart below.`
              : 'Waiting for it to arrive in the statistics…'}
          </p>
        ) : null}
      </div>
    </>
  );
}

function Answers({ answers }: { answers: readonly CheckResult[] }) {
  const refused = answers.filter(({ allowed }) => !allowed);
  const last = refused.at(-1) ?? answers.at(-1);
  if (!last) return null;
  const Icon = last.allowed ? CircleCheck : CircleX;
  return (
    <div className="flex items-start gap-2.5 rounded-md border bg-background px-3 py-2.5 text-sm">
      <Icon aria-hidden className={last.allowed ? 'mt-0.5 size-4 text-success' : 'mt-0.5 size-4 text-destructive'} />
      <div className="min-w-0">
        <p className="font-medium">
          {answers.length === 1 ? (last.allowed ? 'Allowed' : 'Refused') : null}
          {answers.length > 1
            ? `${formatNumber(answers.length - refused.length)} allowed, ${formatNumber(refused.length)} refused`
            : null}
        </p>
        <p className="text-muted-foreground tabular-nums">
          {last.class === null ? null : `Class ${CLASS_NAMES[last.class]}. `}
          {last.limit === null
            ? 'No limit applied.'
            : `${formatNumber(last.remaining ?? 0)} of ${formatNumber(last.limit)} left.`}{' '}
          {last.retry_after === undefined ? null : `The next one is allowed in ${formatDuration(last.retry_after)}.`}
        </p>
        {refused.length > 0 ? (
          <Link href="/decisions" className="rounded-xs text-primary hover:underline">
            See the refusals
          </Link>
        ) : null}
      </div>
    </div>
  );
}
