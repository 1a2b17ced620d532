import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { MemberRole } from '@/lib/contract/fields/enumerations';

export interface SignedInMember {
  id: string;
  email: string;
  name: string | null;
  role: MemberRole;
}

export interface SignedIn {
  member: SignedInMember;
  /** Canonical address of this browser, as the server sees it. Null if it is not available. */
  address: string | null;
  /** True if this installation has the OAuth lab (`SLUICE_LAB`). */
  lab: boolean;
  /** Names of the configured sign-in providers. */
  providers: readonly string[];
}

const MemberContext = createContext<SignedIn | null>(null);

export function MemberProvider({ member, address, lab, providers, children }: SignedIn & { children: ReactNode }) {
  const value = useMemo(() => ({ member, address, lab, providers }), [member, address, lab, providers]);
  return <MemberContext value={value}>{children}</MemberContext>;
}

/** Returns the signed-in member. Requires the console shell. */
export function useMember(): SignedInMember {
  const context = useContext(MemberContext);
  if (!context) throw new Error('useMember is used outside the console.');
  return context.member;
}

/** Returns the canonical address of this browser, as the server sees it. Null if it is not available. */
export function useClientAddress(): string | null {
  return useContext(MemberContext)?.address ?? null;
}

const NONE: readonly string[] = [];

/** Returns the names of the configured sign-in providers. */
export function useProviders(): readonly string[] {
  return useContext(MemberContext)?.providers ?? NONE;
}

/** True if this installation has the OAuth lab. */
export function useHasLab(): boolean {
  return useContext(MemberContext)?.lab ?? false;
}

const RANK: Record<MemberRole, number> = { viewer: 0, operator: 1, owner: 2 };

/** Returns the rank of the member's role, from 0. */
export function useRank(): number {
  return RANK[useMember().role];
}

/** Returns the note for a missing role, worded the same everywhere. */
export function describeMissingRole(role: MemberRole): { rank: number; words: string } {
  return { rank: RANK[role], words: `needs the ${role} role` };
}

/** True if `role` includes the rights of `needed`. */
export function hasRole(role: MemberRole, needed: MemberRole): boolean {
  return RANK[role] >= RANK[needed];
}

/** True if the member's role includes `role`. The API enforces it; this only disables controls that it would refuse. */
export function useHasRole(role: MemberRole): boolean {
  return hasRole(useMember().role, role);
}
