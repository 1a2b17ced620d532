import { Document, Lexer, LineCounter, Parser, parseDocument, type Scalar, visit } from 'yaml';
import { createUsageFailure } from '@/cli/failure';

/** Maximum nesting of lists and mappings, far above that of any Sluice document. */
const MOST_NESTED = 100;

/** Parsed document that remembers the lines of its values. */
export interface ReadYaml {
  value: unknown;
  document: Document;
  lines: LineCounter;
}

/** Reads a document in YAML, which includes JSON. @param name the document's name, for errors @throws Failure */
export function readYaml(text: string, name: string): ReadYaml {
  if (isNestedTooDeep(text))
    throw createUsageFailure(
      `${name} cannot be read: its lists and mappings are nested more than ${MOST_NESTED} deep.`,
    );
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  if (fault !== undefined) {
    const [message = ''] = fault.message.split('\n');
    throw createUsageFailure(`${name} is neither YAML nor JSON: ${message.replace(/:$/, '')}.`);
  }
  try {
    const value: unknown = document.toJS();
    // The value is sent as JSON, which fails for an alias that contains itself.
    JSON.stringify(value);
    return { value, document, lines };
  } catch (error) {
    throw createUsageFailure(`${name} cannot be read: ${explainYamlError(error)}.`);
  }
}

function explainYamlError(error: unknown): string {
  if (error instanceof ReferenceError && error.message.startsWith('Excessive alias count'))
    return 'its aliases stand for far more than it says';
  if (error instanceof TypeError && error.message.includes('circular')) return 'an alias makes it a part of itself';
  return error instanceof Error ? error.message : String(error);
}

/**
 * Detects deep nesting beforehand, because the parser keeps all open levels and needs gigabytes for millions of them.
 */
function isNestedTooDeep(text: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme)) {
      // Only the nesting depth matters here, so the tokens are ignored.
    }
    if (parser.stack.length > MOST_NESTED) return true;
  }
  return false;
}

/** Texts that readers of YAML 1.1 misread, beyond its schema: `=`, symbols, and more spellings of numbers. */
const MISREAD = /^(?:=|:.*|[-+]?0o?[\d_]+|[-+]?\d[\d_,]*(?:\.[\d_,]*)?(?:e[-+]?\d+)?)$/is;

/** Line breaks of YAML 1.1 that YAML 1.2 does not have, and characters that it forbids. */
const ESCAPED = /[\u0080-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Writes YAML 1.2 that readers of YAML 1.1 understand too: texts that they would misread are quoted. */
export function writeYaml(value: unknown): string {
  const document = new Document(value, { compat: 'yaml-1.1' });
  visit(document, {
    Scalar: (_, node: Scalar) => {
      const { value: text } = node;
      if (typeof text === 'string' && (MISREAD.test(text) || text.search(ESCAPED) >= 0)) node.type = 'QUOTE_DOUBLE';
    },
  });
  const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return document.toString({ lineWidth: 0 }).replace(ESCAPED, escapeUnit);
}
