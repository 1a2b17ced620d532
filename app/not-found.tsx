import Link from 'next/link';
import { SluiceMark } from '@/components/shell/wordmark';
import { buttonVariants } from '@/components/ui/button-variants';

export default function NotFound() {
  return (
    <main className="grid min-h-dvh place-items-center px-4">
      <div className="flex max-w-sm flex-col items-center gap-2 text-center">
        <SluiceMark className="mb-3 size-9" />
        <h1 className="text-xl font-semibold">Page not found</h1>
        <p className="text-sm text-muted-foreground">The address may be mistyped, or the page no longer exists.</p>
        <Link href="/" className={buttonVariants({ className: 'mt-4' })}>
          Go to the overview
        </Link>
      </div>
    </main>
  );
}
