import { Failure } from '@/cli/failure';
import { isRow } from '@/cli/output/rows';

type Detail = NonNullable<Failure['more']['details']>[number];

/**
 * Server message for an unexpected member. It has the position but never the name, because the server does not echo
 * input.
 */
const UNKNOWN = 'has a member that is not known';

/**
 * Adds the names of unexpected members to a refusal.
 * @param schema JSON Schema of the body, without references
 */
export function nameUnknownMembers(error: unknown, body: unknown, schema: unknown): unknown {
  if (!(error instanceof Failure) || error.more.details === undefined) return error;
  const details = error.more.details.flatMap((detail) => nameUnknown(detail, body, schema));
  return new Failure(error.exitCode, error.code, error.message, { ...error.more, details });
}

function nameUnknown(detail: Detail, body: unknown, schema: unknown): Detail[] {
  if (detail.message !== UNKNOWN) return [detail];
  const steps = detail.path === 'body' ? [] : detail.path.split('.');
  const value = steps.reduce<unknown>((inner, step) => getMember(inner, step), body);
  const allowedNames = collectMemberNames(
    steps.reduce<unknown[]>((inner, step) => inner.flatMap((one) => listInnerSchemas(one, step)), [schema]),
  );
  const unknown = isRow(value) ? Object.keys(value).filter((name) => !allowedNames.has(name)) : [];
  if (allowedNames.size === 0 || unknown.length === 0) return [detail];
  return unknown.map((name) => ({ path: [...steps, name].join('.'), message: 'is not known' }));
}

function getMember(value: unknown, step: string): unknown {
  if (Array.isArray(value)) return value[Number(step)];
  return isRow(value) ? value[step] : undefined;
}

/** Returns the schema and its alternatives. */
function listBranches(schema: unknown): Record<string, unknown>[] {
  if (!isRow(schema)) return [];
  const others = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [schema, ...others.flatMap(listBranches)];
}

/** Returns the schemas of a member or element. */
function listInnerSchemas(schema: unknown, step: string): unknown[] {
  return listBranches(schema).flatMap(({ properties, items, additionalProperties }) => {
    if (isRow(properties) && isRow(properties[step])) return [properties[step]];
    return [/^\d+$/.test(step) ? items : additionalProperties].filter(isRow);
  });
}

function collectMemberNames(schemas: readonly unknown[]): Set<string> {
  const objects = schemas.flatMap(listBranches).map(({ properties }) => properties);
  return new Set(objects.filter(isRow).flatMap((properties) => Object.keys(properties)));
}
