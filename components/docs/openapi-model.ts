import { z } from 'zod';
import { buildSectionSlug } from '@/components/docs/section-slug';
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
  // `items: false` closes a tuple: nothing may follow its `prefixItems`.
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

export type ShownOperation = z.infer<typeof Operation> & { method: string; path: string };

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Operations of all paths, in document order. */
const Paths = z.record(z.string(), z.record(z.string(), z.unknown())).transform((paths) =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method): ShownOperation[] => {
      const { success, data } = Operation.safeParse(item[method]);
      return success ? [{ ...data, method: method.toUpperCase(), path }] : [];
    }),
  ),
);

/** The part of an OpenAPI 3.1 document that this page shows. */
export const OpenApiModel = z.object({
  info: z.object({ title: z.string(), version: z.string(), description: z.string().optional() }),
  tags: z.array(z.object({ name: z.string(), description: z.string().optional() })),
  'x-tagGroups': z.array(z.object({ name: z.string(), tags: z.array(z.string()) })).default([]),
  paths: Paths,
  components: z.object({
    schemas: z.record(z.string(), Node),
    parameters: z.record(z.string(), Parameter).default({}),
  }),
});
export type OpenApiModel = z.infer<typeof OpenApiModel>;

let model: OpenApiModel | undefined;

/** Parses the document that `/v1/openapi.json` serves. */
export function openApiModel(): OpenApiModel {
  model ??= OpenApiModel.parse(JSON.parse(openApiText().text));
  return model;
}

/** Lists the operations of a tag, in document order. */
export function listOperations({ paths }: OpenApiModel, tag: string): ShownOperation[] {
  return paths.filter(({ tags }) => tags.includes(tag));
}

/** Entry of the reference's search index. */
export interface IndexedOperation {
  href: string;
  method: string;
  path: string;
  summary: string;
  /** Names of the parameters and of the fields in body and answer. */
  names: string;
}

/** Builds the search index over all operations. */
export function searchIndex(model: OpenApiModel): IndexedOperation[] {
  return model.tags.flatMap(({ name: tag }) =>
    listOperations(model, tag).map((operation) => ({
      href: `/docs/${buildSectionSlug(tag)}#${operation.operationId}`,
      method: operation.method,
      path: operation.path,
      summary: operation.summary,
      names: [...collectNames(model, operation)].join(' '),
    })),
  );
}

function collectNames(model: OpenApiModel, { parameters, requestBody, responses }: ShownOperation): Set<string> {
  const names = new Set(parameters.flatMap(({ name }) => name ?? []));
  const contents = [
    requestBody?.content,
    ...Object.entries(responses).map(([code, { content }]) => (code < '3' ? content : undefined)),
  ];
  for (const { schema } of contents.flatMap((content) => Object.values(content ?? {}))) {
    if (schema) addNames(model, schema, names, 3);
  }
  return names;
}

function addNames(model: OpenApiModel, node: SchemaNode, names: Set<string>, depth: number): void {
  if (depth === 0) return;
  const target = node.$ref ? model.components.schemas[node.$ref.replace('#/components/schemas/', '')] : node;
  if (target === undefined) return;
  for (const [name, field] of Object.entries(target.properties ?? {})) {
    names.add(name);
    addNames(model, field, names, depth - 1);
  }
  for (const inner of [target.items, ...(target.anyOf ?? []), ...(target.oneOf ?? [])]) {
    if (inner) addNames(model, inner, names, depth);
  }
}
