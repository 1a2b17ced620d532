import { SluiceMark } from '@/components/shell/sluice-mark';
import { buttonVariants } from '@/components/ui/button-variants';

/** Every page loads the scripts of this file. Its link is plain, because Next's link is a script. */
export default function NotFound() {
  return (
    <main className="grid min-h-dvh place-items-center px-4">
      <div className="flex max-w-sm flex-col items-center gap-2 text-center">
        <SluiceMark className="mb-3 size-9" />
        <h1 className="text-xl font-semibold">Page not found</h1>
        <p className="text-sm text-muted-foreground">The address may be mistyped, or the page no longer exists.</p>
        <a href="/" className={buttonVariants({ className: 'mt-4' })}>
          Go to the overview
        </a>
      </div>
    </main>
  );
}
