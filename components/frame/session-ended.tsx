import { SignInForm } from '@/components/session/sign-in-form';
import { Dialog, DialogContent, DialogFrame } from '@/components/ui/dialog';

/** Asks for the password in a dialog over the page, so that a half-filled form survives. */
export default function SessionEnded({ onReturn }: { onReturn: () => void }) {
  return (
    <Dialog open>
      <DialogContent className="max-w-sm [&>button:last-child]:hidden">
        <DialogFrame
          title="Your session has ended"
          description="Sign in again to continue. What you typed is still there."
        >
          <SignInForm onSuccess={onReturn} />
        </DialogFrame>
      </DialogContent>
    </Dialog>
  );
}
