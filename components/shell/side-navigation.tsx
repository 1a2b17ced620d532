import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { activeHref, type Destination, NAVIGATION, SECONDARY } from '@/components/shell/navigation';
import { cn } from '@/components/ui/cn';

export function SideNavigation({ lab, onNavigate }: { lab: boolean; onNavigate?: () => void }) {
  const active = activeHref(usePathname());
  const link = ({ href, icon: Icon, label }: Destination) => (
    <li key={href}>
      <Link
        href={href}
        prefetch={false}
        aria-current={href === active ? 'page' : undefined}
        onClick={onNavigate}
        className={cn(
          'flex h-8 items-center gap-2.5 rounded-md px-2 text-sm transition-colors max-md:h-10 max-md:text-base',
          href === active
            ? 'bg-foreground/[0.07] font-medium text-foreground'
            : 'text-muted-foreground hover:bg-foreground/[0.04] hover:text-foreground',
        )}
      >
        <Icon aria-hidden className={cn('size-4 shrink-0', href === active && 'text-primary')} />
        {label}
      </Link>
    </li>
  );
  return (
    <nav aria-label="Main" className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-3 pt-1 pb-3">
      {NAVIGATION.map((group) => {
        const shown = group.destinations.filter((destination) => lab || !destination.lab);
        if (shown.length === 0) return null;
        return (
          <div key={group.title ?? 'first'}>
            {group.title ? <p className="px-2 pb-1 text-xs text-muted-foreground">{group.title}</p> : null}
            <ul className="flex flex-col gap-px">{shown.map(link)}</ul>
          </div>
        );
      })}
      <ul className="mt-auto flex flex-col gap-px">{SECONDARY.map(link)}</ul>
    </nav>
  );
}
