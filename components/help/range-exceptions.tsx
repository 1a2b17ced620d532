import { useCall } from '@/components/api/use-call';
import { formatWindow } from '@/components/format/duration';
import { RelativeTime } from '@/components/format/relative-time';
import { DrawerSection } from '@/components/help/drawer-section';
import { QueryPart } from '@/components/list/query-part';
import { Link } from '@/components/ui/link';
import { nameClassOrLimit } from '@/components/vocabulary/class-names';
import { listAllowlist } from '@/lib/contract/allowlist';
import { listOverrides } from '@/lib/contract/overrides';
import { formatNumber } from '@/lib/format-number';

/** Lists the overrides and the allowlist entry of exactly this range. */
export function RangeExceptions({ range }: { range: string }) {
  const query = { type: 'ip', identifier: range, status: 'active' } as const;
  const overrides = useCall(['overrides', 'help', range], listOverrides, { query });
  const entries = useCall(['allowlist', 'help', range], listAllowlist, { query });
  return (
    <DrawerSection id="help-applies" title="What applies to it">
      <QueryPart query={overrides}>
        {({ value: found }) => (
          <QueryPart query={entries}>
            {({ value: [entry] }) => (
              <ul className="flex flex-col gap-1 text-sm">
                {entry ? (
                  <Exception words="Bypasses every rate limit" href="/allowlist" range={range} exception={entry} />
                ) : null}
                {found.map((one) => (
                  <Exception
                    key={one.id}
                    words={`${nameClassOrLimit(one.class)}: ${formatNumber(one.limit)} in ${formatWindow(one.window_seconds)} for each address`}
                    href="/limits/overrides"
                    range={range}
                    exception={one}
                  />
                ))}
                {!entry && found.length === 0 ? (
                  <li className="text-muted-foreground">
                    No override and no allowlist entry is for exactly this range.
                  </li>
                ) : null}
              </ul>
            )}
          </QueryPart>
        )}
      </QueryPart>
    </DrawerSection>
  );
}

interface ExceptionProps {
  words: string;
  href: string;
  range: string;
  exception: { reason: string; expires_at: string | null; managed?: true | undefined };
}

function Exception({ words, href, range, exception: { reason, expires_at: end, managed } }: ExceptionProps) {
  return (
    <li className="break-words">
      <Link
        href={`${href}?${new URLSearchParams({ q: range })}`}
        className="rounded-xs font-medium underline-offset-4 hover:underline"
      >
        {words}
      </Link>
      <span className="text-muted-foreground">
        , “{reason}”,{' '}
        {end === null ? (
          'with no expiry'
        ) : (
          <>
            ends <RelativeTime at={end} />
          </>
        )}
        {managed ? ', managed by a state document' : null}
      </span>
    </li>
  );
}
