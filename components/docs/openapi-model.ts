import { z } from 'zod';
import { openApiText } from '@/lib/openapi/read-openapi';

/** The part of JSON Schema (2020-12) that this page shows. */
const Node = z.object({
  $ref: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]).optional(),
  description: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  default: z.unknown().optional(),
  format: z.string().optional(),
  required: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), Node).optional();
  },
  // `items: false` closes a tuple: nothing follows its `prefixItems`.
  get items() {
    return z.union([Node, z.boolean().transform(() => undefined)]).optional();
  },
  get prefixItems() {
    return z.array(Node).optional();
  },
  get anyOf() {
    return z.array(Node).optional();
  },
  get oneOf() {
    return z.array(Node).optional();
  },
});
export type SchemaNode = z.infer<typeof Node>;

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

let model: OpenApiModel | undefined;

/** The document that `/v1/openapi.json` serves. */
export function openApiModel(): OpenApiModel {
  model ??= OpenApiModel.parse(JSON.parse(openApiText().text));
  return model;
}

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
