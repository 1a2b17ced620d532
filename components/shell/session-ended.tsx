'use client';

import { SignInForm } from '@/components/session/sign-in-form';
import {
  Dialog,
  DialogBody,
  DialogContent,
  DialogDescription,
  DialogHeader,
  DialogTitle,
} from '@/components/ui/dialog';

/** Asks for the password again, over the page, so that a half-filled form below it survives. */
export function SessionEnded({ onReturn }: { onReturn: () => void }) {
  return (
    <Dialog open>
      <DialogContent className="max-w-sm [&>button:last-child]:hidden">
        <DialogHeader>
          <DialogTitle>Your session has ended</DialogTitle>
          <DialogDescription>Sign in again to continue. What you typed on this page is still there.</DialogDescription>
        </DialogHeader>
        <DialogBody>
          <SignInForm onSuccess={onReturn} />
        </DialogBody>
      </DialogContent>
    </Dialog>
  );
}
