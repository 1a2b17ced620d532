import { History } from 'lucide-react';
import Link from 'next/link';
import { Button } from '@/components/ui/button';
import { DropdownMenuItem } from '@/components/ui/dropdown-menu';

/** The page of "everything that was done to this". @param target as audit records name it: an id or an identifier */
export function historyHref(target: string): string {
  return `/audit?${new URLSearchParams({ target })}`;
}

/** Leads to everything that was done to a target. */
export function HistoryLink({ target, label = 'All changes' }: { target: string; label?: string }) {
  return (
    <Button asChild variant="outline">
      <Link href={historyHref(target)} prefetch={false}>
        <History aria-hidden /> {label}
      </Link>
    </Button>
  );
}

/** The same in the menu of a target. */
export function HistoryMenuItem({ target }: { target: string }) {
  return (
    <DropdownMenuItem asChild>
      <Link href={historyHref(target)} prefetch={false}>
        <History aria-hidden /> All changes
      </Link>
    </DropdownMenuItem>
  );
}
