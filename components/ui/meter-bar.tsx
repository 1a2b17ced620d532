import { cn } from '@/components/ui/cn';

interface MeterBarProps {
  value: number;
  max: number;
  label: string;
  className?: string;
  /** Adds a mark at 80%. */
  marked?: boolean;
}

/** Meter for the usage of a limit. Its colour changes at 80% and at 100%. The number next to it states the usage without colour. */
export function MeterBar({ value, max, label, className, marked }: MeterBarProps) {
  const share = max <= 0 ? 1 : Math.min(1, value / max);
  const tone = share >= 1 ? 'bg-destructive' : share >= 0.8 ? 'bg-warning' : 'bg-primary';
  return (
    // biome-ignore lint/a11y/useSemanticElements: <meter> cannot be given colours in every browser
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(max, 1)}
      aria-valuenow={Math.min(value, Math.max(max, 1))}
      aria-valuetext={`${Math.round(share * 100)}%`}
      className={cn('relative h-1.5 w-full overflow-hidden rounded-full bg-foreground/10', className)}
    >
      <div
        className={cn('h-full rounded-full transition-[width] duration-300', tone)}
        style={{ width: `${value > 0 ? Math.max(share * 100, 2) : 0}%` }}
      />
      {marked ? <span className="absolute inset-y-0 left-[80%] w-0.5 bg-card" /> : null}
    </div>
  );
}
