import type { OpenApiModel, Parameter, ShownOperation } from '@/components/docs/openapi-model';

/** Data of an operation that its form needs. A dashboard session can call the operation. */
export interface TriableRequest {
  id: string;
  method: string;
  path: string;
  parameters: readonly { name: string; place: 'path' | 'query'; required: boolean; options: readonly string[] }[];
  /** The example body as JSON. Null if the operation has no body. */
  body: string | null;
}

/** Access levels that a session covers. Other levels need a credential that the browser does not have. */
const BY_SESSION = new Set(['public', 'viewer', 'operator', 'owner', 'decide', 'any-token']);
const JSON_BODY = 'application/json';

/** Prepares an operation for its form. Returns null if a session cannot call it, or if its body is not JSON. */
export function buildRequestToTry(
  operation: ShownOperation,
  components: OpenApiModel['components'],
): TriableRequest | null {
  const access = operation['x-sluice-access'];
  if (access === undefined || !BY_SESSION.has(access)) return null;
  const content = operation.requestBody?.content;
  if (content !== undefined && content[JSON_BODY] === undefined) return null;
  const parameters = operation.parameters.flatMap((item) => {
    const parameter: Parameter = item.$ref
      ? (components.parameters[item.$ref.replace('#/components/parameters/', '')] ?? item)
      : item;
    const { name, in: place, required = false, schema } = parameter;
    if (name === undefined || (place !== 'path' && place !== 'query')) return [];
    const options = (schema?.enum ?? []).filter((value) => typeof value === 'string');
    return [{ name, place: place as 'path' | 'query', required, options }];
  });
  const example = content?.[JSON_BODY]?.example;
  return {
    id: operation.operationId,
    method: operation.method,
    path: operation.path,
    parameters,
    body: content === undefined ? null : example === undefined ? '{}' : JSON.stringify(example, null, 2),
  };
}

/** Builds path and query of a request. Empty parameters are omitted. */
export function buildAddressToTry(
  { path, parameters }: TriableRequest,
  values: Readonly<Record<string, string>>,
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = new URLSearchParams();
  for (const { name, place } of parameters) {
    const value = values[name] ?? '';
    if (place === 'query' && value !== '') query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? filled : `${filled}?${text}`;
}
