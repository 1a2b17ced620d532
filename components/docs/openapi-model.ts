import { z } from 'zod';

/** The part of JSON Schema (2020-12) that this page shows. */
export interface SchemaNode {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, SchemaNode>;
  required?: string[];
  items?: SchemaNode;
  prefixItems?: SchemaNode[];
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  additionalProperties?: boolean | SchemaNode;
}

const Node: z.ZodType<SchemaNode> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    description: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    const: z.unknown().optional(),
    default: z.unknown().optional(),
    format: z.string().optional(),
    pattern: z.string().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    minLength: z.number().optional(),
    maxLength: z.number().optional(),
    properties: z.record(z.string(), Node).optional(),
    required: z.array(z.string()).optional(),
    // `items: false` closes a tuple: nothing comes after its `prefixItems`.
    items: z.union([Node, z.boolean().transform(() => undefined)]).optional(),
    prefixItems: z.array(Node).optional(),
    anyOf: z.array(Node).optional(),
    oneOf: z.array(Node).optional(),
    additionalProperties: z.union([z.boolean(), Node]).optional(),
  }),
);

const Content = z.record(z.string(), z.object({ schema: Node.optional(), example: z.unknown().optional() }));

const Parameter = z.object({
  $ref: z.string().optional(),
  name: z.string().optional(),
  in: z.string().optional(),
  required: z.boolean().optional(),
  description: z.string().optional(),
  schema: Node.optional(),
});
export type Parameter = z.infer<typeof Parameter>;

const Operation = z.object({
  operationId: z.string(),
  tags: z.array(z.string()),
  summary: z.string(),
  description: z.string().optional(),
  'x-sluice-access': z.string().optional(),
  'x-codeSamples': z.array(z.object({ label: z.string(), source: z.string() })).default([]),
  parameters: z.array(Parameter).default([]),
  requestBody: z.object({ required: z.boolean().optional(), content: Content }).optional(),
  responses: z.record(z.string(), z.object({ description: z.string().optional(), content: Content.optional() })),
});

/** The part of an OpenAPI 3.1 document that this page shows. */
export const OpenApiModel = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string().optional() }),
  tags: z.array(z.object({ name: z.string(), description: z.string().optional() })),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  components: z.object({
    schemas: z.record(z.string(), Node),
    parameters: z.record(z.string(), Parameter).default({}),
  }),
});
export type OpenApiModel = z.infer<typeof OpenApiModel>;

export type ShownOperation = z.infer<typeof Operation> & { method: string; path: string };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** The operations of a tag, in the order of the document. */
export function operationsOf(model: OpenApiModel, tag: string): ShownOperation[] {
  return Object.entries(model.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const parsed = Operation.safeParse(item[method]);
      return parsed.success && parsed.data.tags.includes(tag)
        ? [{ ...parsed.data, method: method.toUpperCase(), path }]
        : [];
    }),
  );
}

/** `API keys` as `api-keys`. */
export function sectionSlug(tag: string): string {
  return tag.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
