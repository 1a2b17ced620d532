import { LifeBuoy } from 'lucide-react';
import { useCall } from '@/components/api/use-call';
import { useNow } from '@/components/format/use-now';
import { DrawerSection } from '@/components/help/drawer-section';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import { buildCallerDecisionsHref } from '@/components/links/decisions-href';
import { findIdentity } from '@/components/links/help-target';
import type { LimitedIdentity } from '@/components/links/target';
import { QueryPart } from '@/components/list/query-part';
import { Button } from '@/components/ui/button';
import { Link } from '@/components/ui/link';
import { Shortened } from '@/components/ui/shortened';
import { CLASS_NAMES } from '@/components/vocabulary/class-names';
import { listCallers } from '@/lib/contract/callers';
import { formatCount } from '@/lib/format-number';
import { HOUR, MINUTE } from '@/lib/units';

/** Maximum number of callers listed. */
const SHOWN = 10;

/** Lists the addresses of the range that were refused in the last hour, each with its own help. */
export function RefusedInRange({ range }: { range: string }) {
  const now = useNow();
  const from = now === null ? undefined : new Date(now - (now % MINUTE) - HOUR).toISOString();
  const callers = useCall(
    ['decisions', 'help', 'range', range],
    listCallers,
    { query: { type: 'ip', identifier: range, outcome: 'refused', from, limit: String(SHOWN + 1) } },
    { enabled: from !== undefined, refetchInterval: 10_000 },
  );
  return (
    <DrawerSection
      id="help-refused"
      title="Refused in the last hour"
      more={
        <Link
          href={buildCallerDecisionsHref({ type: 'ip', identifier: range }, '24h')}
          className="rounded-xs text-xs text-primary underline-offset-4 hover:underline"
        >
          All refusals and bypasses
        </Link>
      }
    >
      <QueryPart query={callers}>
        {({ value }) => (
          <ul className="flex flex-col text-sm">
            {value.slice(0, SHOWN).map(({ subject, identifier, api_key_name: name, count, classes }) => (
              <li key={`${subject} ${identifier}`} className="flex min-h-8 items-center justify-between gap-3">
                <RefusedCaller identity={findIdentity(subject, identifier)} name={name} />
                <span className="text-xs text-muted-foreground tabular-nums">
                  {classes.map((one) => CLASS_NAMES[one.class]).join(', ')} {formatCount(count, 'refusal')}
                </span>
              </li>
            ))}
            {value.length > SHOWN ? <li className="text-xs text-muted-foreground">and others</li> : null}
            {value.length === 0 ? (
              <li className="text-muted-foreground">No caller in this range was refused.</li>
            ) : null}
          </ul>
        )}
      </QueryPart>
    </DrawerSection>
  );
}

interface RefusedCallerProps {
  identity: LimitedIdentity | null;
  /** Name of the API key. */
  name: string | null;
}

function RefusedCaller({ identity, name }: RefusedCallerProps) {
  const { help } = useSubjectActions();
  if (identity === null) return <span>No single caller</span>;
  return (
    <Button variant="ghost" size="sm" className="-ml-2.5 min-w-0 text-sm" onClick={() => help(identity)}>
      <LifeBuoy aria-label="Help" />
      {name ?? <Shortened text={identity.identifier} className="font-mono text-xs" />}
    </Button>
  );
}
