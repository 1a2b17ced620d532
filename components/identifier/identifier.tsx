import { Ellipsis, RotateCcw, ScanSearch, ShieldCheck, SlidersHorizontal } from 'lucide-react';
import Link from 'next/link';
import { CopyButton } from '@/components/format/copy-button';
import { useIdentifierActions } from '@/components/identifier/identifier-actions';
import { inspectHref, TARGET_LABEL, type Target } from '@/components/identifier/target';
import { useMay } from '@/components/shell/member';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from '@/components/ui/dropdown-menu';

/** Menu items to inspect an identifier and act on it. */
export function IdentifierMenuItems({ target }: { target: Target }) {
  const actions = useIdentifierActions();
  const may = useMay('operator');
  return (
    <>
      <DropdownMenuItem asChild>
        <Link href={inspectHref(target)} prefetch={false}>
          <ScanSearch aria-hidden /> Inspect counters
        </Link>
      </DropdownMenuItem>
      <DropdownMenuSeparator />
      <DropdownMenuItem disabled={!may} onSelect={() => actions.allowlist(target)}>
        <ShieldCheck aria-hidden /> Allowlist…
      </DropdownMenuItem>
      <DropdownMenuItem disabled={!may} onSelect={() => actions.override(target)}>
        <SlidersHorizontal aria-hidden /> Override limit…
      </DropdownMenuItem>
      <DropdownMenuItem disabled={!may} onSelect={() => actions.reset(target)}>
        <RotateCcw aria-hidden /> Reset counters…
      </DropdownMenuItem>
    </>
  );
}

/** An address or user with a link, a copy button and its actions. */
export function Identifier({ target, menu = true, className }: { target: Target; menu?: boolean; className?: string }) {
  return (
    <span className={cn('group/id inline-flex max-w-full min-w-0 items-center gap-0.5', className)}>
      <Link
        href={inspectHref(target)}
        prefetch={false}
        title={target.identifier}
        className="min-w-0 truncate rounded-xs font-mono text-xs underline-offset-4 hover:underline"
      >
        <span className="sr-only">{TARGET_LABEL[target.type]} </span>
        {target.identifier}
      </Link>
      <span className="inline-flex shrink-0 opacity-0 transition-opacity group-focus-within/id:opacity-100 group-hover/id:opacity-100 has-[[data-state=open]]:opacity-100 [@media(hover:none)]:opacity-100">
        <CopyButton value={target.identifier} label={`Copy ${target.identifier}`} />
        {menu ? (
          <DropdownMenu>
            <DropdownMenuTrigger asChild>
              <Button
                variant="ghost"
                size="icon-sm"
                className="text-muted-foreground"
                aria-label={`Actions for ${target.identifier}`}
              >
                <Ellipsis aria-hidden />
              </Button>
            </DropdownMenuTrigger>
            <DropdownMenuContent align="start">
              <IdentifierMenuItems target={target} />
            </DropdownMenuContent>
          </DropdownMenu>
        ) : null}
      </span>
    </span>
  );
}
