'use client';

import type { SignedInMember } from '@/components/shell/member';
import { onDemand } from '@/components/shell/on-demand';

const MemberIncident = onDemand(() => import('@/components/frame/member-incident'));

/** The bar of an incident on the reference, which is public: only for members, and fetched only by them. */
export function DocsIncident({ member }: { member: SignedInMember }) {
  return <MemberIncident member={member} />;
}
