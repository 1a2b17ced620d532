'use client';

import type { SignedInMember } from '@/components/shell/member';
import { onDemand } from '@/components/shell/on-demand';

const MemberIncident = onDemand(() => import('@/components/frame/member-incident'));

/** Shows the incident bar on the public reference. Only members load and see it. */
export function DocsIncident({ member }: { member: SignedInMember }) {
  return <MemberIncident member={member} />;
}
