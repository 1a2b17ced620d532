import { z } from 'zod';
import { type MemberRole, MemberRoleSchema } from '@/lib/contract/fields/enumerations';

/** Where roles are read from. */
export interface RoleClaim {
  /** Name of the claim, or a path of names with dots: `groups`, `realm_access.roles`. */
  claim: string;
  /** Role by value of the claim. Undefined: the values are names of roles. */
  map: Readonly<Record<string, MemberRole>> | undefined;
}

/** What the claim of an account says. `role` is null where none of its values has one. */
export const RoleFromClaim = z.object({
  claim: z.string(),
  role: MemberRoleSchema.nullable(),
  values: z.array(z.string()),
});

export type RoleFromClaim = z.infer<typeof RoleFromClaim>;

/** The roles, from the one that may do most. */
const DESCENDING = [...MemberRoleSchema.options].reverse();

/** Of several values that have a role, the one that may do most counts. The claim is a text or a list of texts. */
export function claimedRole(claims: unknown, { claim, map }: RoleClaim): RoleFromClaim {
  const value = valueAt(claims, claim);
  const values = (Array.isArray(value) ? value : [value]).filter((entry) => typeof entry === 'string');
  const roles = values.map((entry) =>
    map === undefined ? MemberRoleSchema.safeParse(entry).data : Object.hasOwn(map, entry) ? map[entry] : undefined,
  );
  return { claim, role: DESCENDING.find((role) => roles.includes(role)) ?? null, values };
}

/** A claim by its name, which may itself contain dots (`https://example.com/roles`), else by a path of names. */
function valueAt(claims: unknown, path: string): unknown {
  if (typeof claims !== 'object' || claims === null) return undefined;
  const own = Object.entries(claims);
  const whole = own.find(([name]) => name === path);
  if (whole !== undefined) return whole[1];
  const parent = own.find(([name]) => path.startsWith(`${name}.`));
  return parent === undefined ? undefined : valueAt(parent[1], path.slice(parent[0].length + 1));
}
