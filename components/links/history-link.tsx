import { History } from 'lucide-react';
import { Button } from '@/components/ui/button';
import { DropdownMenuItem } from '@/components/ui/dropdown-menu';
import { Link } from '@/components/ui/link';

/**
 * Returns the page that lists every change to a target.
 * @param target an id or identifier, as audit records name it
 */
export function buildHistoryHref(target: string): string {
  return `/audit?${new URLSearchParams({ target })}`;
}

/** Links to every change to a target. */
export function HistoryLink({ target }: { target: string }) {
  return (
    <Button asChild variant="outline">
      <Link href={buildHistoryHref(target)}>
        <History aria-hidden /> All changes
      </Link>
    </Button>
  );
}

/** Menu item that links to every change to a target. */
export function HistoryMenuItem({ target }: { target: string }) {
  return (
    <DropdownMenuItem asChild>
      <Link href={buildHistoryHref(target)}>
        <History aria-hidden /> All changes
      </Link>
    </DropdownMenuItem>
  );
}
