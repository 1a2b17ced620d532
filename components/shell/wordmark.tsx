import Link from 'next/link';
import { Badge } from '@/components/ui/badge';
import { cn } from '@/components/ui/cn';

/** Logo of a sluice gate: two posts, a half-raised blade, and the water that passes. */
export function SluiceMark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 24 24" fill="none" aria-hidden="true" className={cn('size-6', className)}>
      <path d="M4 3v18M20 3v18" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      <path d="M12 2.5v3" stroke="currentColor" strokeWidth="2" strokeLinecap="round" />
      <rect x="6.5" y="5.5" width="11" height="7.5" rx="1.25" fill="currentColor" />
      <path
        d="M6.5 16.75c1.4-1 2.35-1 3.7 0s2.3 1 3.6 0 2.3-1 3.7 0M6.5 20.5c1.4-1 2.35-1 3.7 0s2.3 1 3.6 0 2.3-1 3.7 0"
        className="stroke-primary"
        strokeWidth="1.75"
        strokeLinecap="round"
      />
    </svg>
  );
}

export function Wordmark({ className }: { className?: string }) {
  return (
    <span className={cn('inline-flex items-center gap-2 text-lg font-semibold tracking-[-0.02em]', className)}>
      <SluiceMark className="size-5.5" />
      Sluice
    </span>
  );
}

/** Wordmark that links to the overview, with a badge if all data is demo data. */
export function HomeLink({ demo }: { demo: boolean }) {
  return (
    <>
      <Link href="/" prefetch={false} aria-label="Sluice, overview" className="inline-flex rounded-md">
        <Wordmark />
      </Link>
      {demo ? (
        <Badge variant="warning" className="md:ml-auto">
          demo data
        </Badge>
      ) : null}
    </>
  );
}
