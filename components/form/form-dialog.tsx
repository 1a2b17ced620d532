'use client';

import type { FormEventHandler, ReactNode } from 'react';
import { FormFault } from '@/components/form/form-fault';
import { Button } from '@/components/ui/button';
import {
  Dialog,
  DialogBody,
  DialogContent,
  DialogDescription,
  DialogFooter,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog';

/** A form in a dialog: every form of the console that is not a page of its own. */
export function FormDialog({
  open,
  onOpenChange,
  title,
  description,
  submitLabel,
  pending,
  destructive,
  fault,
  onSubmit,
  children,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  submitLabel: string;
  pending: boolean;
  destructive?: boolean;
  fault: unknown;
  onSubmit: FormEventHandler<HTMLFormElement>;
  children: ReactNode;
}) {
  return (
    <Dialog open={open} onOpenChange={(next) => (pending ? undefined : onOpenChange(next))}>
      <DialogContent {...(description ? {} : { 'aria-describedby': undefined })}>
        <form
          noValidate
          className="contents"
          onSubmit={(event) => {
            event.stopPropagation();
            onSubmit(event);
          }}
        >
          <DialogHeader>
            <DialogTitle>{title}</DialogTitle>
            {description ? (
              <DialogDescription asChild>
                <div>{description}</div>
              </DialogDescription>
            ) : null}
          </DialogHeader>
          <DialogBody>
            <FormFault error={fault} />
            {children}
          </DialogBody>
          <DialogFooter>
            <Button variant="ghost" disabled={pending} onClick={() => onOpenChange(false)}>
              Cancel
            </Button>
            <Button type="submit" variant={destructive ? 'destructive' : 'default'} pending={pending}>
              {submitLabel}
            </Button>
          </DialogFooter>
        </form>
      </DialogContent>
    </Dialog>
  );
}
