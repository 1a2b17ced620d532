import { useQueryClient } from '@tanstack/react-query';
import { AlertDialog } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { FormFault } from '@/components/form/api-form';
import { Button } from '@/components/ui/button';
import { DialogBody, DialogFooter, overlayClasses } from '@/components/ui/dialog';
import { toast } from '@/components/ui/toast';

interface ConfirmationProps {
  title: string;
  description: ReactNode;
  confirmLabel: string;
  confirm: () => Promise<unknown>;
  /** Query key of the resource that `confirm` changes. */
  changes: string;
  done: string;
  onClose: () => void;
}

/** Dialog behind `ConfirmDialog`. If `confirm` fails, it stays open and shows the error. */
export default function Confirmation(props: ConfirmationProps) {
  const { title, description, confirmLabel, confirm, changes, done, onClose } = props;
  const queries = useQueryClient();
  const [pending, setPending] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const run = async () => {
    setPending(true);
    setFault(null);
    try {
      await confirm();
      await queries.invalidateQueries({ queryKey: [changes] });
      toast.success(done);
      onClose();
    } catch (error) {
      setFault(error);
      setPending(false);
    }
  };
  return (
    <AlertDialog.Root open onOpenChange={() => (pending ? undefined : onClose())}>
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
            <Button variant="destructive" pending={pending} onClick={run}>
              {confirmLabel}
            </Button>
          </DialogFooter>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
