'use client';

import Link from 'next/link';
import { usePathname } from 'next/navigation';
import { cn } from '@/components/ui/cn';

export function SectionNavigation({ sections }: { sections: readonly { href: string; label: string }[] }) {
  const pathname = usePathname();
  return (
    <nav aria-label="API reference" className="max-md:-mx-4 max-md:overflow-x-auto max-md:px-4">
      <ul className="flex gap-px md:flex-col">
        {sections.map(({ href, label }) => (
          <li key={href}>
            <Link
              href={href}
              prefetch={false}
              aria-current={pathname === href ? 'page' : undefined}
              className={cn(
                'flex h-8 items-center rounded-md px-2 text-sm whitespace-nowrap transition-colors',
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
    </nav>
  );
}
