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
  /** The canonical address that the server sees this browser under; null when unknown. */
  address: string | null;
  /** Whether this installation has the OAuth lab (`SLUICE_LAB`). */
  lab: boolean;
  /** Names of the sign-in providers that are configured. */
  providers: readonly string[];
}

const MemberContext = createContext<SignedIn | null>(null);

export function MemberProvider({ member, address, lab, providers, children }: SignedIn & { children: ReactNode }) {
  const value = useMemo(() => ({ member, address, lab, providers }), [member, address, lab, providers]);
  return <MemberContext value={value}>{children}</MemberContext>;
}

/** The person who is signed in. Only below the console's shell. */
export function useMember(): SignedInMember {
  const context = useContext(MemberContext);
  if (!context) throw new Error('useMember is used outside the console.');
  return context.member;
}

/** The canonical address that the server sees this browser under; null when unknown. */
export function useClientAddress(): string | null {
  return useContext(MemberContext)?.address ?? null;
}

const NONE: readonly string[] = [];

/** Names of the sign-in providers that are configured. */
export function useProviders(): readonly string[] {
  return useContext(MemberContext)?.providers ?? NONE;
}

/** Whether this installation has the OAuth lab. */
export function useHasLab(): boolean {
  return useContext(MemberContext)?.lab ?? false;
}

const RANK: Record<MemberRole, number> = { viewer: 0, operator: 1, owner: 2 };

/** Rank of the person's role, from 0. */
export function useRank(): number {
  return RANK[useMember().role];
}

/** What stands where a role is missing: the one wording of the console. */
export function needsRole(role: MemberRole): { rank: number; words: string } {
  return { rank: RANK[role], words: `needs the ${role} role` };
}

/** Whether a role may do what another one is needed for. */
export function reaches(role: MemberRole, needed: MemberRole): boolean {
  return RANK[role] >= RANK[needed];
}

/** Whether the person's role reaches `role`. The API enforces it; this only disables what it would refuse. */
export function useMay(role: MemberRole): boolean {
  return reaches(useMember().role, role);
}
