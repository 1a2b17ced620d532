const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * Indents a JSON text, or writes it on one line if `indent` is 0. Numbers stay as they are written; strings get their
 * usual escapes. It needs no recursion, so any depth is fine.
 */
export function formatJson(text: string, indent: number): string {
  let depth = 0;
  let shown = '';
  let before = '';
  const formatNewLine = () => (indent === 0 ? '' : `\n${' '.repeat(Math.min(depth * indent, 200))}`);
  for (const [token] of text.matchAll(TOKEN)) {
    const isEnd = token === '}' || token === ']';
    if (isEnd) depth--;
    const isFirst = before === '{' || before === '[';
    if ((isFirst && !isEnd) || before === ',' || (isEnd && !isFirst)) shown += formatNewLine();
    shown += token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : token;
    if (token === ':' && indent > 0) shown += ' ';
    if (token === '{' || token === '[') depth++;
    before = token;
  }
  return shown;
}
