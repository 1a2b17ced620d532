import { Timestamp } from '@/components/format/timestamp';

/** Explains what to do with an invitation link. */
export function LinkNote({ email, expiresAt }: { email: string; expiresAt: string }) {
  return (
    <>
      Hand this link to {email} yourself, in a private message or in person: <b>Sluice sends no e-mail.</b> The first
      person who opens it sets the password. It works once, until <Timestamp at={expiresAt} />.
    </>
  );
}
