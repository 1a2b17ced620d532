import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '@/components/ui/button';
import { cn } from '@/components/ui/cn';
import { toast } from '@/components/ui/toast';

/** Copies `value` to the clipboard. `label` is the accessible name: "Copy key id". */
export function CopyButton({ value, label, className }: { value: string; label: string; className?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
    } catch {
      toast.error('The browser did not allow copying.', { description: 'Select the text and copy it manually.' });
    }
  };
  return (
    <Button
      variant="ghost"
      size="icon-sm"
      className={cn('text-muted-foreground', className)}
      aria-label={copied ? 'Copied' : label}
      onClick={copy}
    >
      {copied ? <Check aria-hidden className="text-success-text" /> : <Copy aria-hidden />}
    </Button>
  );
}
