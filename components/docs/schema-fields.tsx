import type { OpenApiModel, SchemaNode } from '@/components/docs/openapi-model';
import { Prose } from '@/components/docs/prose';
import { Badge } from '@/components/ui/badge';

type Schemas = OpenApiModel['components']['schemas'];

const DEEPEST = 4;

/** Follows a `$ref` into the components. */
function resolve(schemas: Schemas, node: SchemaNode): SchemaNode {
  const target = node.$ref ? schemas[node.$ref.replace('#/components/schemas/', '')] : undefined;
  return target ? { ...target, description: node.description ?? target.description } : node;
}

/** A type in a few words: `string`, `array of Limit`, `"free" | "starter"`. */
export function typeWords(schemas: Schemas, node: SchemaNode): string {
  const alternatives = node.anyOf ?? node.oneOf;
  if (alternatives) return alternatives.map((one) => typeWords(schemas, one)).join(' | ');
  if (node.$ref) {
    const target = resolve(schemas, node);
    return target.enum
      ? typeWords(schemas, { ...target, $ref: undefined })
      : node.$ref.replace('#/components/schemas/', '');
  }
  if (node.enum) return node.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.prefixItems) return `[${node.prefixItems.map((one) => typeWords(schemas, one)).join(', ')}]`;
  if (node.items) return `array of ${typeWords(schemas, node.items)}`;
  const type = Array.isArray(node.type) ? node.type.join(' | ') : (node.type ?? 'any');
  return node.format ? `${type}, ${node.format}` : type;
}

/** The object to show the fields of: the node, its items, or its first alternative with fields. */
function objectIn(schemas: Schemas, node: SchemaNode): SchemaNode | null {
  const target = resolve(schemas, node);
  if (target.properties) return target;
  if (target.items) return objectIn(schemas, target.items);
  for (const one of target.anyOf ?? target.oneOf ?? []) {
    const found = objectIn(schemas, one);
    if (found) return found;
  }
  return null;
}

/** The fields of an object, with nested objects collapsed. */
export function SchemaFields({ schemas, node, depth = 0 }: { schemas: Schemas; node: SchemaNode; depth?: number }) {
  const object = objectIn(schemas, node);
  if (!object?.properties) return <p className="font-mono text-xs text-muted-foreground">{typeWords(schemas, node)}</p>;
  return (
    <ul className="flex flex-col">
      {Object.entries(object.properties).map(([name, field]) => {
        const inner = depth < DEEPEST ? objectIn(schemas, field) : null;
        const { description, default: fallback } = resolve(schemas, field);
        return (
          <li key={name} className="border-t py-2 first:border-t-0">
            <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
              <code className="font-mono text-xs font-medium">{name}</code>
              <span className="text-xs break-all text-muted-foreground">{typeWords(schemas, field)}</span>
              {object.required?.includes(name) ? <Badge variant="outline">required</Badge> : null}
              {fallback === undefined ? null : (
                <span className="text-xs text-muted-foreground">default {JSON.stringify(fallback)}</span>
              )}
            </div>
            {description ? <Prose text={description} className="mt-0.5 text-xs" /> : null}
            {inner ? (
              <details className="mt-1">
                <summary className="w-fit cursor-pointer rounded-xs text-xs text-primary">Fields of {name}</summary>
                <div className="mt-1 border-l pl-3">
                  <SchemaFields schemas={schemas} node={inner} depth={depth + 1} />
                </div>
              </details>
            ) : null}
          </li>
        );
      })}
    </ul>
  );
}
