import { Document, Lexer, LineCounter, Parser, parseDocument, type Scalar, visit } from 'yaml';
import { wrongUsage } from '@/cli/failure';

/** Lists and mappings within each other, far more than any document of ours has. */
const MOST_NESTED = 100;

/** A document that somebody wrote, which still knows what stands where. */
export interface ReadYaml {
  value: unknown;
  document: Document;
  lines: LineCounter;
}

/** Reads a document in YAML, of which JSON is a part. @param name as sentences begin with @throws Failure */
export function readYaml(text: string, name: string): ReadYaml {
  if (isNestedTooDeep(text))
    throw wrongUsage(`${name} cannot be read: its lists and mappings are nested more than ${MOST_NESTED} deep.`);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [fault] = document.errors;
  if (fault !== undefined) {
    const [message = ''] = fault.message.split('\n');
    throw wrongUsage(`${name} is neither YAML nor JSON: ${message.replace(/:$/, '')}.`);
  }
  try {
    const value: unknown = document.toJS();
    // It is sent as JSON, which nothing can be that an alias makes a part of itself.
    JSON.stringify(value);
    return { value, document, lines };
  } catch (error) {
    throw wrongUsage(`${name} cannot be read: ${whyNoValue(error)}.`);
  }
}

function whyNoValue(error: unknown): string {
  if (error instanceof ReferenceError && error.message.startsWith('Excessive alias count'))
    return 'its aliases stand for far more than it says';
  if (error instanceof TypeError && error.message.includes('circular')) return 'an alias makes it a part of itself';
  return error instanceof Error ? error.message : String(error);
}

/** The parser keeps all levels that are open, and takes gigabytes for millions of them. */
function isNestedTooDeep(text: string): boolean {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme)) {
      // What it has read is of no use here, only how deep it is.
    }
    if (parser.stack.length > MOST_NESTED) return true;
  }
  return false;
}

/** What readers of YAML 1.1 take for something else, beyond its schema: `=`, symbols, and more spellings of numbers. */
const MISREAD = /^(?:=|:.*|[-+]?0o?[\d_]+|[-+]?\d[\d_,]*(?:\.[\d_,]*)?(?:e[-+]?\d+)?)$/is;

/** Line breaks of YAML 1.1 that are none in 1.2, and what it does not let stand at all. */
const ESCAPED = /[\u0080-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Writes YAML 1.2 that readers of YAML 1.1 understand alike: texts that they would misread stand in quotes. */
export function writeYaml(value: unknown): string {
  const document = new Document(value, { compat: 'yaml-1.1' });
  visit(document, {
    Scalar: (_, node: Scalar) => {
      const { value: text } = node;
      if (typeof text === 'string' && (MISREAD.test(text) || text.search(ESCAPED) >= 0)) node.type = 'QUOTE_DOUBLE';
    },
  });
  const toEscape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return document.toString({ lineWidth: 0 }).replace(ESCAPED, toEscape);
}
