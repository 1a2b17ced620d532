// @ts-check
// Removes descriptions from contracts for browsers, because only the server needs them, for the OpenAPI document. This
// saves 1 to 3 % of a page's script, which keeps the overview and the decisions below their goal of 250 kB.
// CommonJS, because the bundler requires it, and Node 20.12 requires no ES module.
const { parse } = require('@babel/parser');

/** Methods of schemas whose calls are removed. */
const DESCRIPTIVE_CALLS = new Set(['describe', 'meta']);
/** Properties of operations that become empty. An object with a literal `summary` is an operation. */
const DESCRIPTIVE_PROPERTIES = new Set(['summary', 'description', 'example']);

/**
 * Loads one source file for the bundler, without its descriptions.
 * @param {string} source @throws SyntaxError with the place, if the source cannot be parsed
 */
module.exports = function removeDescriptions(source) {
  const { program } = parse(source, {
    sourceType: 'module',
    plugins: ['typescript', 'estree'],
  });
  const descriptions = [...listDescriptions(program)];
  const whole = descriptions.filter((part) => !descriptions.some(({ from, to }) => from < part.from && part.to <= to));
  // Replacing from the end keeps the offsets of the earlier parts valid.
  whole.sort((a, b) => b.from - a.from);
  return whole.reduce((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), source);
};

/**
 * Yields the parts to replace, with their replacements.
 * @param {unknown} node node of the syntax tree, or a list of nodes @returns {Iterable<{ from: number, to: number, by: string }>}
 */
function* listDescriptions(node) {
  if (typeof node !== 'object' || node === null) return;
  for (const child of Object.values(node)) yield* listDescriptions(child);
  if (!('type' in node)) return;
  const { type, callee, end, properties } = /** @type {any} */ (node);
  if (
    type === 'CallExpression' &&
    callee.type === 'MemberExpression' &&
    DESCRIPTIVE_CALLS.has(readName(callee.property))
  )
    yield { from: callee.object.end, to: end, by: '' };
  if (type !== 'ObjectExpression') return;
  /** @type {any[]} */
  const own = properties.filter((/** @type {any} */ property) => property.type === 'Property');
  if (!own.some(({ key, value }) => readName(key) === 'summary' && /Literal$/.test(value.type))) return;
  for (const { key, value } of own)
    if (DESCRIPTIVE_PROPERTIES.has(readName(key))) yield { from: value.start, to: value.end, by: "''" };
}

/** @param {{ type: string, name?: unknown }} key */
const readName = ({ type, name }) => (type === 'Identifier' ? String(name) : '');
