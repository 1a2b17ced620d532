import { usePathname, useSearchParams } from 'next/navigation';
import { type ReactNode, useEffect, useState } from 'react';
import { cn } from '@/components/ui/cn';
import { Dialog, SheetContent } from '@/components/ui/dialog';

interface DrawerProps {
  /** Accessible name. */
  title: string;
  className?: string;
  onClose: () => void;
  children: ReactNode;
}

/** Drawer on the right, full width on a phone. It closes when its page changes, even if only the query differs. */
export function Drawer({ title, className, onClose, children }: DrawerProps) {
  const address = `${usePathname()}?${useSearchParams()}`;
  const [openedAt] = useState(address);
  useEffect(() => {
    if (address !== openedAt) onClose();
  }, [address, openedAt, onClose]);
  return (
    <Dialog open onOpenChange={onClose}>
      <SheetContent
        side="right"
        title={title}
        className={cn('w-lg max-w-full overflow-y-auto bg-popover max-sm:w-full', className)}
      >
        <div className="flex flex-col gap-5 p-5">{children}</div>
      </SheetContent>
    </Dialog>
  );
}
