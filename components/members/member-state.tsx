import { ShieldCheck } from 'lucide-react';
import { RelativeTime } from '@/components/format/relative-time';
import { Badge } from '@/components/ui/badge';
import type { Member } from '@/lib/contract/members';

/** Shows whether a member can sign in, when they last did, and their second factor. */
export function MemberState({ member }: { member: Member }) {
  const { state, second_factor: protectedTwice, invitation_expires_at: until, last_sign_in_at: last } = member;
  return (
    <div className="flex flex-col items-start gap-0.5 py-1 text-xs text-muted-foreground max-sm:flex-row max-sm:flex-wrap max-sm:items-center max-sm:gap-x-2 max-sm:py-0">
      <span className="flex flex-wrap items-center gap-1 empty:hidden">
        {state === 'invited' ? <Badge variant="primary">invited</Badge> : null}
        {state === 'cannot_sign_in' ? <Badge variant="warning">cannot sign in</Badge> : null}
        {protectedTwice ? (
          <Badge variant="success">
            <ShieldCheck aria-hidden /> second factor
          </Badge>
        ) : null}
      </span>
      {last === null ? (
        state === 'active' ? (
          <span>never signed in</span>
        ) : null
      ) : (
        <span>
          signed in <RelativeTime at={last} />
        </span>
      )}
      {until === null ? null : (
        <span>
          link ends <RelativeTime at={until} />
        </span>
      )}
    </div>
  );
}
