'use client';

import { usePathname } from 'next/navigation';
import { cn } from '@/components/ui/cn';
import { Link } from '@/components/ui/link';

interface SectionGroup {
  title: string | null;
  sections: readonly { href: string; label: string }[];
}

export function SectionNavigation({ groups }: { groups: readonly SectionGroup[] }) {
  const pathname = usePathname();
  return (
    <nav
      aria-label="API reference"
      className="relative flex max-md:-mx-4 max-md:overflow-x-auto max-md:px-4 md:max-h-[calc(100dvh-3.5rem)] md:flex-col md:gap-3 md:overflow-y-auto"
    >
      {groups.map(({ title, sections }) => (
        <div key={title ?? 'first'}>
          {title && (sections.length > 1 || sections[0]?.label !== title) ? (
            <p className="px-2 pb-0.5 text-xs text-muted-foreground max-md:sr-only">{title}</p>
          ) : null}
          <ul className="flex gap-px md:flex-col">
            {sections.map(({ href, label }) => (
              <li key={href}>
                <Link
                  href={href}
                  aria-current={pathname === href ? 'page' : undefined}
                  className={cn(
                    'flex h-8 items-center rounded-md px-2 text-sm whitespace-nowrap transition-colors focus-visible:-outline-offset-2',
                    pathname === href
                      ? 'bg-foreground/[0.07] font-medium'
                      : 'text-muted-foreground hover:bg-foreground/[0.04] hover:text-foreground',
                  )}
                >
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
