import type { ComponentProps, ReactNode } from 'react';
import type { OpenApiModel, SchemaNode } from '@/components/docs/openapi-model';
import { Prose } from '@/components/docs/typography';
import { Badge } from '@/components/ui/badge';

type Schemas = OpenApiModel['components']['schemas'];

const DEEPEST = 4;

/** Follows a `$ref` into the components. */
function resolve(schemas: Schemas, node: SchemaNode): SchemaNode {
  const target = node.$ref ? schemas[node.$ref.replace('#/components/schemas/', '')] : undefined;
  return target ? { ...target, description: node.description ?? target.description } : node;
}

/** Describes a type briefly: `string`, `array of Limit`, `"free" | "starter"`. */
export function describeType(schemas: Schemas, node: SchemaNode): string {
  const alternatives = node.anyOf ?? node.oneOf;
  if (alternatives) return alternatives.map((schema) => describeType(schemas, schema)).join(' | ');
  if (node.$ref) {
    const target = resolve(schemas, node);
    return target.enum
      ? describeType(schemas, { ...target, $ref: undefined })
      : node.$ref.replace('#/components/schemas/', '');
  }
  if (node.enum) return node.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (node.const !== undefined) return JSON.stringify(node.const);
  if (node.prefixItems) return `[${node.prefixItems.map((item) => describeType(schemas, item)).join(', ')}]`;
  if (node.items) return `array of ${describeType(schemas, node.items)}`;
  const type = Array.isArray(node.type) ? node.type.join(' | ') : (node.type ?? 'any');
  return node.format ? `${type}, ${node.format}` : type;
}

/** Finds the object whose fields are shown: the node, its items, or its first alternative with fields. */
function findObject(schemas: Schemas, node: SchemaNode): SchemaNode | null {
  const target = resolve(schemas, node);
  if (target.properties) return target;
  if (target.items) return findObject(schemas, target.items);
  for (const alternative of target.anyOf ?? target.oneOf ?? []) {
    const found = findObject(schemas, alternative);
    if (found) return found;
  }
  return null;
}

/** Lists the fields of an object. Nested objects are collapsed. */
export function SchemaFields({ schemas, node, depth = 0 }: { schemas: Schemas; node: SchemaNode; depth?: number }) {
  const object = findObject(schemas, node);
  if (!object?.properties)
    return <p className="font-mono text-xs text-muted-foreground">{describeType(schemas, node)}</p>;
  return (
    <ul className="flex flex-col">
      {Object.entries(object.properties).map(([name, field]) => {
        const inner = depth < DEEPEST ? findObject(schemas, field) : null;
        const { description, default: fallback } = resolve(schemas, field);
        return (
          <FieldRow
            key={name}
            name={name}
            type={describeType(schemas, field)}
            required={object.required?.includes(name)}
            note={fallback === undefined ? undefined : `default ${JSON.stringify(fallback)}`}
            description={description}
          >
            {inner ? (
              <CollapsedFields label={`Fields of ${name}`} schemas={schemas} node={inner} depth={depth + 1} />
            ) : null}
          </FieldRow>
        );
      })}
    </ul>
  );
}

/** Shows a field or parameter: name, type, whether it is required, description. */
export function FieldRow({
  name,
  type,
  required,
  note,
  description,
  children,
}: {
  name: string | undefined;
  type: string;
  required: boolean | undefined;
  note?: string;
  description: string | undefined;
  children?: ReactNode;
}) {
  return (
    <li className="border-t py-2 first:border-t-0">
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <code className="font-mono text-xs font-medium break-words">{name}</code>
        <span className="min-w-0 text-xs break-words text-muted-foreground">{type}</span>
        {required ? <Badge variant="outline">required</Badge> : null}
        {note ? <span className="text-xs text-muted-foreground">{note}</span> : null}
      </div>
      {description ? <Prose text={description} className="mt-0.5 text-xs" /> : null}
      {children}
    </li>
  );
}

/** Shows the fields of a schema, collapsed under `label`. */
export function CollapsedFields({ label, ...fields }: { label: string } & ComponentProps<typeof SchemaFields>) {
  return (
    <details className="mt-1">
      <summary className="w-fit cursor-pointer rounded-xs text-xs text-primary">{label}</summary>
      <div className="mt-1 border-l pl-3">
        <SchemaFields {...fields} />
      </div>
    </details>
  );
}
