import { type Contract, isForm } from '@/lib/contract/operation';
import { ACCESS } from '@/lib/openapi/access';
import { quoteForShell } from '@/lib/shell-quote';

/**
 * Builds `x-codeSamples`: the same call with curl, with `fetch`, and with Python's standard library. Variables hold the
 * origin and the credentials.
 */
export function buildCodeSamples(operation: Contract) {
  return [
    { lang: 'Shell', label: 'curl', source: buildCurlSample(operation) },
    { lang: 'TypeScript', label: 'TypeScript', source: buildTypeScriptSample(operation) },
    { lang: 'Python', label: 'Python', source: buildPythonSample(operation) },
  ];
}

function buildCurlSample(operation: Contract): string {
  const lines = [
    `curl${operation.method === 'GET' ? '' : ` -X ${operation.method}`} "$SLUICE${formatRequestTarget(operation)}"`,
  ];
  for (const [name, value] of listHeaders(operation, (variable) => `$${variable}`))
    lines.push(`  -H "${name}: ${value}"`);
  const body = operation.example?.body;
  if (body !== undefined) lines.push(`  -d ${quoteForShell(formatBody(operation, body))}`);
  return lines.join(' \\\n');
}

function buildTypeScriptSample(operation: Contract): string {
  const { method, example, response } = operation;
  const headers = listHeaders(operation, (variable) => `\${process.env.${variable}}`);
  const members = headers.map(([name, value]) => `    '${name}': \`${value}\`,\n`).join('');
  const body = JSON.stringify(example?.body);
  const options = [
    method === 'GET' ? '' : `  method: '${method}',\n`,
    members === '' ? '' : `  headers: {\n${members}  },\n`,
    body === undefined
      ? ''
      : `  body: ${isForm(operation.body) ? 'new URLSearchParams' : 'JSON.stringify'}(${body}),\n`,
  ].join('');
  const url = `\`\${process.env.SLUICE}${formatRequestTarget(operation)}\``;
  const call = `await fetch(${url}${options === '' ? '' : `, {\n${options}}`})`;
  const read = response.status === 204 || response.schema === undefined ? 'response.status' : 'await response.json()';
  return `const response = ${call};\nconsole.log(${read});`;
}

function buildPythonSample(operation: Contract): string {
  const { method, example, response } = operation;
  const headers = listHeaders(operation, (variable) => `{os.environ['${variable}']}`);
  const members = headers.map(([name, value]) => `        "${name}": ${value.includes('{') ? 'f' : ''}"${value}",\n`);
  const form = isForm(operation.body);
  const body = example?.body === undefined ? undefined : formatPythonLiteral(example.body);
  const options = [
    method === 'GET' ? '' : `    method="${method}",\n`,
    members.length === 0 ? '' : `    headers={\n${members.join('')}    },\n`,
    body === undefined ? '' : `    data=${form ? 'urlencode' : 'json.dumps'}(${body}).encode(),\n`,
  ].join('');
  const returnsJson = response.status !== 204 && response.schema !== undefined;
  const imports = [...(returnsJson || (body !== undefined && !form) ? ['json'] : []), 'os'];
  return [
    ...imports.map((name) => `import ${name}`),
    ...(body !== undefined && form ? ['from urllib.parse import urlencode'] : []),
    'from urllib.request import Request, urlopen',
    '',
    `request = Request(\n    f"{os.environ['SLUICE']}${formatRequestTarget(operation).replaceAll('{', '{{').replaceAll('}', '}}')}",\n${options})`,
    'with urlopen(request) as response:',
    `    print(${returnsJson ? 'json.load(response)' : 'response.status'})`,
  ].join('\n');
}

/** Formats a JSON value in Python's syntax. */
function formatPythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(formatPythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, member]) => `${JSON.stringify(name)}: ${formatPythonLiteral(member)}`)
    .join(', ')}}`;
}

function formatRequestTarget({ path, example }: Contract): string {
  const filled = path.replace(/\{(\w+)\}/g, (whole, name: string) => example?.params?.[name] ?? whole);
  const query = new URLSearchParams(example?.query).toString();
  return query === '' ? filled : `${filled}?${query}`;
}

function listHeaders(operation: Contract, variable: (name: string) => string): [string, string][] {
  const headers: [string, string][] = [];
  const credential = ACCESS[operation.access].credential;
  if (credential !== undefined)
    headers.push([credential[0], credential[1].replace(/\{(\w+)\}/, (_, name: string) => variable(name))]);
  if (operation.idempotent === true) headers.push(['Idempotency-Key', variable('IDEMPOTENCY_KEY')]);
  if (operation.example?.body !== undefined)
    headers.push(['Content-Type', isForm(operation.body) ? 'application/x-www-form-urlencoded' : 'application/json']);
  return headers;
}

function formatBody(operation: Contract, body: unknown): string {
  return isForm(operation.body) ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body);
}
