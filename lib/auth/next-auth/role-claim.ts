import { z } from 'zod';
import { type MemberRole, MemberRoleSchema } from '@/lib/contract/fields/enumerations';

/** Source of roles. */
export interface RoleClaim {
  /** Name of the claim, or a path of names with dots: `groups`, `realm_access.roles`. */
  claim: string;
  /** Role by value of the claim. If undefined, the values are names of roles. */
  map: Readonly<Record<string, MemberRole>> | undefined;
}

/** The role claim of an account. `role` is null if none of its values has one. */
export const RoleFromClaim = z.object({
  claim: z.string(),
  role: MemberRoleSchema.nullable(),
  values: z.array(z.string()),
});

export type RoleFromClaim = z.infer<typeof RoleFromClaim>;

/** Roles, from the most powerful one down. */
const DESCENDING = [...MemberRoleSchema.options].reverse();

/** Reads the role from a claim, which is a text or a list of texts. The most powerful of several roles wins. */
export function readClaimedRole(claims: unknown, { claim, map }: RoleClaim): RoleFromClaim {
  const value = readClaim(claims, claim);
  const values = (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string');
  const roles = values.map((entry) =>
    map === undefined ? MemberRoleSchema.safeParse(entry).data : Object.hasOwn(map, entry) ? map[entry] : undefined,
  );
  return { claim, role: DESCENDING.find((role) => roles.includes(role)) ?? null, values };
}

/**
 * Reads a claim by its name, which may itself contain dots (`https://example.com/roles`), or else by a path of names.
 */
function readClaim(claims: unknown, path: string): unknown {
  if (typeof claims !== 'object' || claims === null) return undefined;
  const own = Object.entries(claims);
  const whole = own.find(([name]) => name === path);
  if (whole !== undefined) return whole[1];
  const parent = own.find(([name]) => path.startsWith(`${name}.`));
  return parent === undefined ? undefined : readClaim(parent[1], path.slice(parent[0].length + 1));
}
