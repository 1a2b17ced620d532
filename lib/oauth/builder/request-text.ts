import type { RawRequest } from '@/lib/oauth/builder/builder-request';

/** The request in the words of HTTP/1.1 (RFC 9112), for reading. */
export function asHttp(request: RawRequest, origin: string): string {
  const lines = [`${request.method} ${request.path} HTTP/1.1`, `Host: ${new URL(origin).host}`];
  for (const [name, value] of request.headers) lines.push(`${name}: ${oneLine(value)}`);
  return `${lines.join('\n')}\n${request.body === null ? '' : `\n${request.body}`}`;
}

/** The request as a curl command for a POSIX shell. Whatever is in it, nothing of it is run. */
export function asCurl(request: RawRequest, origin: string): string {
  const parts = [`curl -sS -X ${request.method} ${quote(origin + request.path)}`];
  for (const [name, value] of request.headers) parts.push(`-H ${quote(`${name}: ${oneLine(value)}`)}`);
  if (request.body !== null) parts.push(`--data-raw ${quote(request.body)}`);
  return parts.join(' \\\n  ');
}

export function asFetch(request: RawRequest, origin: string): string {
  const init = {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    ...(request.body === null ? {} : { body: request.body }),
  };
  // U+2028 and `</` are legal in JSON, and not wherever the text is pasted.
  const literal = (value: unknown) =>
    JSON.stringify(value, null, 2)
      .replace(/[\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16)}`)
      .replaceAll('</', '<\\/');
  return `const response = await fetch(${literal(origin + request.path)}, ${literal(init)});\nconsole.log(response.status, await response.json());`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function oneLine(text: string): string {
  return text.replace(/[\r\n\0]/g, ' ');
}
