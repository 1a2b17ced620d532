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
