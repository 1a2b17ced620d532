import { ScanSearch } from 'lucide-react';
import type { ReactNode } from 'react';
import { CopyButton } from '@/components/format/copy-button';
import { SUBJECT_ACTIONS, useSubjectActions } from '@/components/identifier/subject-actions';
import { ExplainItem } from '@/components/links/explain-item';
import { HistoryMenuItem } from '@/components/links/history-link';
import { buildInspectHref, isTarget, type OverriddenTarget, TARGET_LABEL } from '@/components/links/target';
import { RowMenu } from '@/components/list/row-menu';
import { RoleMenuItem } from '@/components/shell/role-menu-item';
import { cn } from '@/components/ui/cn';
import { DropdownMenuItem, DropdownMenuSeparator } from '@/components/ui/dropdown-menu';
import { Link } from '@/components/ui/link';
import { Shortened } from '@/components/ui/shortened';
import type { LoggedDecision } from '@/lib/contract/decisions';

interface IdentifierMenuItemsProps {
  target: OverriddenTarget;
  decision?: LoggedDecision;
  /** Change that has no purpose here. */
  omit?: 'allowlist';
}

export function IdentifierMenuItems({ target, decision, omit }: IdentifierMenuItemsProps) {
  const actions = useSubjectActions();
  const [help, ...changes] = SUBJECT_ACTIONS;
  const only = decision?.class ?? undefined;
  const limitName = decision?.limit_name ?? undefined;
  const caller = isTarget(target) ? target : null;
  const run = {
    reset: () => actions.reset(target, { class: only, limit_name: caller === null ? limitName : undefined }),
    override: () =>
      caller === null
        ? actions.overrideSubject({ identifier: target.identifier, limit_name: limitName })
        : actions.override(caller, only),
    allowlist: caller === null ? null : () => actions.allowlist(caller),
  };
  return (
    <>
      <DropdownMenuItem icon={help.icon} label={help.label} onSelect={() => actions.help({ ...target, decision })} />
      <DropdownMenuItem asChild>
        <Link href={buildInspectHref(target)}>
          <ScanSearch aria-hidden /> Inspect counters
        </Link>
      </DropdownMenuItem>
      <ExplainItem requestId={decision?.request_id} />
      <HistoryMenuItem target={target.identifier} />
      <DropdownMenuSeparator />
      {changes.map(({ id, icon, label, needs }) => {
        const onSelect = run[id];
        if (id === omit || onSelect === null) return null;
        return <RoleMenuItem key={id} icon={icon} label={label} needs={needs} onSelect={onSelect} />;
      })}
    </>
  );
}

interface IdentifierProps {
  target: OverriddenTarget;
  menu?: boolean;
  className?: string;
  /** Content right after the identifier. */
  children?: ReactNode;
}

/** Shows an address or user with a link, a copy button and a menu of actions. */
export function Identifier({ target, menu = true, className, children }: IdentifierProps) {
  const { type, identifier } = target;
  return (
    <span className={cn('group/id inline-flex max-w-full min-w-0 items-center gap-0.5', className)}>
      <Link
        href={buildInspectHref(target)}
        className="inline-flex min-w-0 rounded-xs font-mono text-xs underline-offset-4 hover:underline"
      >
        <span className="sr-only">{TARGET_LABEL[type]} </span>
        <Shortened text={identifier} />
      </Link>
      {children}
      <span className="inline-flex shrink-0 opacity-0 transition-opacity group-focus-within/id:opacity-100 group-hover/id:opacity-100 has-[[data-state=open]]:opacity-100 [@media(hover:none)]:opacity-100">
        <CopyButton value={identifier} label={`Copy ${identifier}`} />
        {menu ? (
          <RowMenu name={identifier} inline>
            <IdentifierMenuItems target={target} />
          </RowMenu>
        ) : null}
      </span>
    </span>
  );
}
