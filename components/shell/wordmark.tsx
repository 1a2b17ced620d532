import { SluiceMark } from '@/components/shell/sluice-mark';
import { Badge } from '@/components/ui/badge';
import { cn } from '@/components/ui/cn';
import { Link } from '@/components/ui/link';

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
      <Link href="/" aria-label="Sluice, overview" className="inline-flex rounded-md">
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
