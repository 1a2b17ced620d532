import { useQueryClient } from '@tanstack/react-query';
import { SetUpSecondFactor } from '@/components/session/set-up-second-factor';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';

/** Sets up a second factor voluntarily. An outside click does not close it, so that recovery codes are not lost. */
export default function SetUpDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const close = () => {
    void queries.invalidateQueries({ queryKey: ['second-factor'] });
    void queries.invalidateQueries({ queryKey: ['own-sessions'] });
    onClose();
  };
  const preventClose = (event: Event) => event.preventDefault();
  return (
    <Dialog open onOpenChange={close}>
      <DialogContent aria-describedby={undefined} onPointerDownOutside={preventClose} onInteractOutside={preventClose}>
        <DialogFrame title="Set up a second factor">
          <SetUpSecondFactor onDone={close} />
        </DialogFrame>
      </DialogContent>
    </Dialog>
  );
}
