import { signOut } from '@/components/session/authenticate';
import { toast } from '@/components/ui/toast';

/** Signs out and opens the sign-in page. */
export async function leave(): Promise<void> {
  if (await signOut()) window.location.assign('/sign-in');
  else toast.error('Still signed in: the server could not be reached.');
}
