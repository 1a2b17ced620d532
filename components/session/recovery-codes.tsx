import { Download } from 'lucide-react';
import { CopyButton } from '@/components/format/copy-button';
import { Alert } from '@/components/ui/alert';
import { buttonVariants } from '@/components/ui/button-variants';
import { cn } from '@/components/ui/cn';

/** Shows ten recovery codes once. */
export function RecoveryCodes({ codes }: { codes: readonly string[] }) {
  const text = `${codes.join('\n')}\n`;
  return (
    <>
      <Alert variant="warning">
        This is the only time they are shown. Without them and without the app, only an owner can let you in again.
      </Alert>
      <ul
        aria-label="Recovery codes"
        className="grid grid-cols-2 gap-x-4 gap-y-1 rounded-md bg-muted px-3 py-2 max-sm:grid-cols-1"
      >
        {codes.map((code) => (
          <li key={code} className="font-mono text-sm select-all">
            {code}
          </li>
        ))}
      </ul>
      <div className="flex items-center gap-2">
        <a
          className={cn(buttonVariants({ variant: 'outline' }))}
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="sluice-recovery-codes.txt"
        >
          <Download aria-hidden /> Save as a file
        </a>
        <CopyButton value={text} label="Copy all codes" />
      </div>
    </>
  );
}
