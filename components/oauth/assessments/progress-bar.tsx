/** Shows the progress of a task. */
export function ProgressBar({ label, value, max }: { label: string; value: number; max: number }) {
  return (
    <div className="relative h-1.5 w-full overflow-hidden rounded-full bg-foreground/10">
      <progress className="sr-only" aria-label={label} value={value} max={max || 1} />
      <div
        aria-hidden
        className="h-full rounded-full bg-primary transition-[width] duration-300"
        style={{ width: `${(100 * value) / (max || 1)}%` }}
      />
    </div>
  );
}
