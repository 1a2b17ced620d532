export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON. Undefined if the text is not valid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Indents a JSON object or list. Other text stays unchanged. */
export function indentJson(text: string): string {
  const value = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  return value === undefined ? text : JSON.stringify(value, null, 2);
}
