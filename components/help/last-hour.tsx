import Link from 'next/link';
import { SlotBars } from '@/components/chart/slot-bars';
import { decisionsOf } from '@/components/decisions/decisions-href';
import { formatNumber } from '@/components/format/number';
import { useNow } from '@/components/format/use-now';
import type { HelpRequest } from '@/components/help/help-target';
import { MOST } from '@/components/help/use-help-facts';
import { CLASS_NAMES } from '@/components/limits/class-names';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

const MINUTE = 60_000;
const MINUTES = 60;

/** What else was refused to them in the last hour, by minute and class. */
export function LastHour({ request, refusals }: { request: HelpRequest; refusals: readonly LoggedDecision[] }) {
  const now = useNow();
  if (now === null) return null;
  const end = Math.ceil(now / MINUTE) * MINUTE;
  const recent = refusals.filter(({ at }) => Date.parse(at) >= end - MINUTES * MINUTE);
  const slots = Array.from({ length: MINUTES }, (_, index) => {
    const at = end - (MINUTES - index) * MINUTE;
    return { at, value: recent.filter((one) => Math.floor(Date.parse(one.at) / MINUTE) * MINUTE === at).length };
  });
  const classes = ENDPOINT_CLASSES.map((name) => ({ name, count: recent.filter((one) => one.class === name).length }));
  const sum = `${formatNumber(recent.length)}${refusals.length >= MOST && recent.length === refusals.length ? ' or more' : ''}`;
  return (
    <section aria-labelledby="help-last-hour" className="flex flex-col gap-2">
      <div className="flex items-baseline justify-between gap-3">
        <h3 id="help-last-hour" className="text-sm font-semibold">
          Last hour
        </h3>
        <Link
          href={decisionsOf(request, '24h')}
          prefetch={false}
          className="rounded-xs text-xs text-primary underline-offset-4 hover:underline"
        >
          All decisions
        </Link>
      </div>
      {recent.length === 0 ? (
        <p className="text-sm text-muted-foreground">No refusals.</p>
      ) : (
        <>
          <SlotBars label="Refused in each minute of the last hour" slots={slots} refusals />
          <p
            className="flex flex-wrap gap-x-3 text-xs text-muted-foreground tabular-nums"
            title="In a burst, the log keeps at most 10 a second of one identifier."
          >
            <span>
              <span className="font-medium text-foreground">{sum}</span> {recent.length === 1 ? 'refusal' : 'refusals'}{' '}
              in the log
            </span>
            {classes
              .filter(({ count }) => count > 0)
              .map(({ name, count }) => (
                <span key={name}>
                  {CLASS_NAMES[name]} {formatNumber(count)}
                </span>
              ))}
          </p>
        </>
      )}
    </section>
  );
}
