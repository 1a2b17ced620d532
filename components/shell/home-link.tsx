import Link from 'next/link';
import { Wordmark } from '@/components/shell/wordmark';

/** The wordmark, as the way to the overview. */
export function HomeLink() {
  return (
    <Link href="/" prefetch={false} aria-label="Sluice, overview" className="rounded-md">
      <Wordmark />
    </Link>
  );
}
