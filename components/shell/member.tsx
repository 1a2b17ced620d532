'use client';

import { createContext, type ReactNode, useContext } from 'react';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

/** The person who is signed in. */
export interface Member {
  id: string;
  email: string;
  name: string | null;
  role: MemberRole;
}

const MemberContext = createContext<Member | null>(null);

export function MemberProvider({ member, children }: { member: Member; children: ReactNode }) {
  return <MemberContext value={member}>{children}</MemberContext>;
}

/** The person who is signed in. Only below the console's shell. */
export function useMember(): Member {
  const member = useContext(MemberContext);
  if (!member) throw new Error('useMember is used outside the console.');
  return member;
}

const RANK: Record<MemberRole, number> = { viewer: 0, operator: 1, owner: 2 };

/**
 * Whether the person's role reaches `role`. The API decides; this only spares a person a button that would be refused.
 */
export function useMay(role: MemberRole): boolean {
  return RANK[useMember().role] >= RANK[role];
}
