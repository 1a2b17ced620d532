'use client';

import { loadOnDemand } from '@/components/shell/load-on-demand';
import type { SignedInMember } from '@/components/shell/member';

const MemberIncident = loadOnDemand(() => import('@/components/frame/member-incident'));

/** Shows the incident bar on the public reference. Only members load and see it. */
export function DocsIncident({ member }: { member: SignedInMember }) {
  return <MemberIncident member={member} />;
}
