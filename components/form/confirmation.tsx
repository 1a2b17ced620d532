'use client';

import { AlertDialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { FormFault } from '@/components/form/form-fault';
import { Button } from '@/components/ui/button';
import { DialogBody, DialogFooter, overlayClasses } from '@/components/ui/dialog';

/** The dialog behind `ConfirmDialog`. */
export function Confirmation({
  open,
  onOpenChange,
  title,
  description,
  confirmLabel,
  destructive = true,
  onConfirm,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description: ReactNode;
  confirmLabel: string;
  destructive?: boolean;
  onConfirm: () => Promise<unknown>;
}) {
  const [pending, setPending] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const change = (next: boolean) => {
    if (pending) return;
    setFault(null);
    onOpenChange(next);
  };
  const confirm = async () => {
    setPending(true);
    setFault(null);
    try {
      await onConfirm();
      onOpenChange(false);
    } catch (error) {
      setFault(error);
    } finally {
      setPending(false);
    }
  };
  return (
    <AlertDialog.Root open={open} onOpenChange={change}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className={overlayClasses} />
        <AlertDialog.Content className="fixed inset-x-0 top-[16vh] z-50 mx-auto w-[calc(100%-2rem)] max-w-md rounded-xl border bg-popover text-popover-foreground shadow-(--shadow-pop) duration-150 outline-none data-[state=open]:animate-in data-[state=open]:fade-in-0 data-[state=closed]:animate-out data-[state=closed]:fade-out-0">
          <DialogBody className="gap-2 pt-5">
            <AlertDialog.Title className="text-lg font-semibold tracking-[-0.011em]">{title}</AlertDialog.Title>
            <AlertDialog.Description asChild>
              <div className="text-sm text-muted-foreground">{description}</div>
            </AlertDialog.Description>
            <FormFault error={fault} />
          </DialogBody>
          <DialogFooter>
            <AlertDialog.Cancel asChild>
              <Button variant="ghost" disabled={pending}>
                Cancel
              </Button>
            </AlertDialog.Cancel>
            <Button variant={destructive ? 'destructive' : 'default'} pending={pending} onClick={confirm}>
              {confirmLabel}
            </Button>
          </DialogFooter>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
