'use client';

import { useState } from 'react';
import { signOut } from '@/components/session/authenticate';
import { SetUpSecondFactor } from '@/components/session/set-up-second-factor';
import { SignInFrame } from '@/components/session/sign-in-frame';
import { Button } from '@/components/ui/button';
import { toast } from '@/components/ui/toast';

/** Page after sign-in for a member without the second factor that an owner requires. */
export function RequiredSecondFactor({ email, target }: { email: string; target: string }) {
  const [leaving, setLeaving] = useState(false);
  const leave = async () => {
    setLeaving(true);
    if (await signOut()) return window.location.assign('/sign-in');
    setLeaving(false);
    toast.error('You are still signed in', { description: 'The server did not confirm the sign-out. Try again.' });
  };
  return (
    <SignInFrame title="Set up a second factor" wide>
      <p className="text-sm text-muted-foreground">
        An owner requires a code with the password. You are signed in as <b className="wrap-anywhere">{email}</b> and
        can continue once it is set up.
      </p>
      <SetUpSecondFactor onDone={() => window.location.assign(target)} />
      <Button variant="ghost" className="self-start" pending={leaving} onClick={() => void leave()}>
        Sign out
      </Button>
    </SignInFrame>
  );
}
