// @ts-check
// What a contract says of itself is for the OpenAPI document, which the server makes: browsers get the contracts without.
import { parseSync, Visitor } from 'oxc-parser';

/** Of schemas. */
const SPOKEN_CALLS = new Set(['describe', 'meta']);
/** Of operations, which are told by a summary in words. */
const SPOKEN_PROPERTIES = new Set(['summary', 'description', 'example']);

/**
 * For the bundler, as a loader of one source file.
 * @this {{ resourcePath: string }} @param {string} source @throws Error where the source cannot be read
 */
export default function withoutDescriptions(source) {
  const { program, errors } = parseSync(this.resourcePath, source);
  const [first] = errors;
  if (first !== undefined) throw new Error(`${this.resourcePath}: ${first.message}`);
  /** @type {{ from: number, to: number, by: string }[]} */
  const spoken = [];
  new Visitor({
    CallExpression({ callee, end }) {
      if (callee.type === 'MemberExpression' && SPOKEN_CALLS.has(nameOf(callee.property)))
        spoken.push({ from: callee.object.end, to: end, by: '' });
    },
    ObjectExpression({ properties }) {
      const own = properties.filter((property) => property.type === 'Property');
      if (!own.some(({ key, value }) => nameOf(key) === 'summary' && /Literal$/.test(value.type))) return;
      for (const { key, value } of own)
        if (SPOKEN_PROPERTIES.has(nameOf(key))) spoken.push({ from: value.start, to: value.end, by: "''" });
    },
  }).visit(program);
  const whole = spoken.filter((part) => !spoken.some(({ from, to }) => from < part.from && part.to <= to));
  // From the end on, so that what stands before keeps its place.
  whole.sort((a, b) => b.from - a.from);
  return whole.reduce((text, { from, to, by }) => text.slice(0, from) + by + text.slice(to), source);
}

/** @param {{ type: string, name?: unknown }} key */
const nameOf = ({ type, name }) => (type === 'Identifier' ? String(name) : '');
