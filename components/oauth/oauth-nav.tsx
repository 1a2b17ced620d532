'use client';

import { usePathname } from 'next/navigation';
import { useHasLab } from '@/components/shell/member';
import { PAGES } from '@/components/shell/navigation';
import { cn } from '@/components/ui/cn';
import { Link } from '@/components/ui/link';

const OWN = PAGES.filter(({ href }) => href.startsWith('/oauth'));

/** Links between the OAuth pages, above each heading. Without the lab the builder is omitted. */
export function OAuthNav({ className }: { className?: string }) {
  const pathname = usePathname();
  const hasLab = useHasLab();
  const pages = OWN.filter(({ lab }) => hasLab || !lab);
  const isCurrent = (href: string) => pathname === href || (href !== '/oauth' && pathname.startsWith(`${href}/`));
  return (
    <nav aria-label="OAuth" className={cn('-mt-2 overflow-x-auto border-b', className)}>
      <ul className="flex gap-5 max-sm:justify-between max-sm:gap-3">
        {pages.map(({ href, label }) => (
          <li key={href}>
            <Link
              href={href}
              aria-current={isCurrent(href) ? 'page' : undefined}
              className="-mb-px inline-flex h-9 items-center border-b-2 border-transparent text-sm font-medium whitespace-nowrap max-sm:text-xs text-muted-foreground transition-colors hover:text-foreground focus-visible:-outline-offset-3 aria-[current=page]:border-primary aria-[current=page]:text-foreground"
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
