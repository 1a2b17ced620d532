// Writes every mutant of a source file into the file itself, behind a switch: `a < b` becomes
// `(__mutant(7)?(a <= b):__mutant(8)?(a >= b):(a < b))`. One load of the module then serves all of its mutants.
// Lines stay where they are.
import { parseAst } from 'vitest/node';

/** @typedef {{ id: number, line: number, original: string, replacement: string }} Mutant */

const OPERATORS = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '&': ['|'],
  '|': ['&'],
  '^': ['&'],
  '<<': ['>>'],
  '>>': ['<<'],
  '>>>': ['<<'],
  '&&': ['||'],
  '||': ['&&'],
  '??': ['&&'],
};
const ASSIGNMENTS = { '+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=', '??=': '=', '||=': '=', '&&=': '=' };
/** Methods and what is called in their place; null leaves the call out and keeps its object. */
const METHODS = {
  some: 'every',
  every: 'some',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  trim: null,
  toLowerCase: null,
  toUpperCase: null,
  filter: null,
  sort: null,
  toSorted: null,
  reverse: null,
  slice: null,
};
const MATH = { min: 'max', max: 'min', floor: 'ceil', ceil: 'floor' };
/** What holds types or names and nothing that runs. */
const NO_CODE = new Set([
  'typeAnnotation',
  'returnType',
  'typeParameters',
  'typeArguments',
  'superTypeArguments',
  'implements',
  'decorators',
  'label',
  'id',
]);
/** What TypeScript puts around an expression. */
const AROUND = new Set([
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSInstantiationExpression',
  'TSParameterProperty',
]);
const EQUALITY = new Set(['===', '!==', '==', '!=']);

/**
 * @param {string} source TypeScript
 * @param {number} firstId the id of the first mutant
 * @returns {{ code: string, mutants: Mutant[] }}
 */
export function instrument(source, firstId) {
  /** @type {Mutant[]} */
  const mutants = [];
  const lineStarts = [0];
  for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  const lineOf = (offset) => {
    let line = 0;
    while (line + 1 < lineStarts.length && lineStarts[line + 1] <= offset) line += 1;
    return line + 1;
  };
  const text = (node) => source.slice(node.start, node.end);

  /** A place in the source that is rewritten; `inner` are the places within it. */
  const root = { start: 0, end: source.length, variants: [], kind: 'root', inner: [] };
  visit(parseAst(source, { lang: 'ts' }), root, null, '');
  return { code: `const {mutant:__mutant,step:__step}=globalThis.__mutation;${render(root)}`, mutants };

  function visit(node, place, parent, key) {
    if (node.type.startsWith('TS') && !AROUND.has(node.type)) return;
    if (node.type === 'ImportDeclaration' || node.type === 'ExportAllDeclaration') return;
    let here = place;
    const { kind, variants } = variantsOf(node, parent, key);
    if (variants.length > 0) {
      here = { start: node.start, end: node.end, variants: [], kind, inner: [] };
      for (const replacement of variants) {
        const id = firstId + mutants.length;
        mutants.push({ id, line: lineOf(node.start), original: text(node), replacement });
        here.variants.push({ id, replacement });
      }
      place.inner.push(here);
    }
    const loop = /^(?:For|ForIn|ForOf|While|DoWhile)Statement$/.test(node.type);
    for (const [name, value] of Object.entries(node)) {
      if (NO_CODE.has(name) && !(name === 'id' && node.type === 'VariableDeclarator')) continue;
      if (name === 'key' && !node.computed) continue;
      if (name === 'property' && node.type === 'MemberExpression' && !node.computed) continue;
      if (name === 'source') continue;
      for (const child of Array.isArray(value) ? value : [value]) {
        if (child === null || typeof child !== 'object' || typeof child.type !== 'string') continue;
        if (!loop || name !== 'body') {
          visit(child, here, node, name);
          continue;
        }
        // Every turn of a loop is counted, so that a mutant that makes it endless is stopped.
        const body = { start: child.start, end: child.end, variants: [], kind: 'body', inner: [] };
        here.inner.push(body);
        visit(child, body, node, name);
      }
    }
  }

  function render(place) {
    let at = place.start;
    let own = '';
    for (const inner of place.inner.toSorted((a, b) => a.start - b.start)) {
      own += source.slice(at, inner.start) + render(inner);
      at = inner.end;
    }
    own += source.slice(at, place.end);
    if (place.kind === 'root') return own;
    if (place.kind === 'body') return `{__step();${own}}`;
    if (place.kind === 'statement') return `{if(!__mutant(${place.variants[0].id})){${own}}}`;
    const choices = place.variants.map(({ id, replacement }) => `__mutant(${id})?(${oneLine(replacement)}):`).join('');
    return `(${choices}(${own}))`;
  }

  function variantsOf(node, parent, key) {
    const none = { kind: 'expression', variants: [] };
    const some = (...variants) => ({ kind: 'expression', variants });
    switch (node.type) {
      case 'BinaryExpression':
      case 'LogicalExpression': {
        const others = OPERATORS[node.operator] ?? [];
        if (node.operator === '+' && [node.left, node.right].some(isText)) return none;
        const variants = others.map((operator) => operated(node, operator));
        return some(...variants, ...conditionVariants(parent, key));
      }
      case 'UnaryExpression':
        if (node.operator === '!') return some(text(node.argument), ...conditionVariants(parent, key));
        return node.operator === '-' ? some(text(node.argument)) : none;
      case 'UpdateExpression': {
        const operator = node.operator === '++' ? '--' : '++';
        return some(node.prefix ? operator + text(node.argument) : text(node.argument) + operator);
      }
      case 'AssignmentExpression': {
        const operator = ASSIGNMENTS[node.operator];
        return operator === undefined ? none : some(operated(node, operator));
      }
      case 'Literal':
        return some(...literalVariants(node, parent, key));
      case 'TemplateLiteral':
        return parent.type === 'TaggedTemplateExpression' || /\s/.test(text(node)) ? none : some("''");
      case 'CallExpression':
        return some(...callVariants(node), ...conditionVariants(parent, key));
      case 'ChainExpression':
        return some(...chainVariants(node), ...conditionVariants(parent, key));
      case 'ExpressionStatement':
        if (node.directive !== undefined && node.directive !== null) return none;
        if (node.expression.type === 'CallExpression' && node.expression.callee.type === 'Super') return none;
        return { kind: 'statement', variants: [''] };
      case 'ThrowStatement':
      case 'ContinueStatement':
        return { kind: 'statement', variants: [''] };
      case 'ReturnStatement':
        return node.argument === null ? { kind: 'statement', variants: [''] } : none;
      default:
        return some(...conditionVariants(parent, key));
    }
  }

  /** What decides a branch is true, and false; a loop only ends at once. */
  function conditionVariants(parent, key) {
    if (key !== 'test' || parent.type === 'SwitchCase') return [];
    if (parent.type === 'IfStatement' || parent.type === 'ConditionalExpression') return ['true', 'false'];
    return ['false'];
  }

  function literalVariants(node, parent, key) {
    if (node.regex !== undefined && node.regex !== null) return regexVariants(node.regex);
    if (typeof node.value === 'boolean') return [String(!node.value)];
    if (node.value === 0) return ['1'];
    if (node.value === 1) return ['0'];
    if (typeof node.value !== 'string' || node.value === '' || /\s/.test(node.value)) return [];
    // Comparisons are turned round as a whole.
    if (parent.type === 'SwitchCase' || (parent.type === 'BinaryExpression' && EQUALITY.has(parent.operator)))
      return [];
    if (key === 'source' || parent.type === 'ImportExpression') return [];
    return ["''"];
  }

  function regexVariants({ pattern, flags }) {
    const variants = [];
    if (pattern.startsWith('^')) variants.push(`/${pattern.slice(1)}/${flags}`);
    if (pattern.endsWith('$') && !pattern.endsWith('\\$')) variants.push(`/${pattern.slice(0, -1)}/${flags}`);
    if (flags.includes('i')) variants.push(`/${pattern}/${flags.replace('i', '')}`);
    return variants;
  }

  function callVariants({ callee, start, end }) {
    if (callee.type !== 'MemberExpression' || callee.computed || callee.optional) return [];
    const { name } = callee.property;
    const renamed = (other) =>
      source.slice(start, callee.property.start) + other + source.slice(callee.property.end, end);
    if (callee.object.type === 'Identifier' && callee.object.name === 'Math')
      return MATH[name] === undefined ? [] : [renamed(MATH[name])];
    if (!Object.hasOwn(METHODS, name)) return [];
    return [METHODS[name] === null ? text(callee.object) : renamed(METHODS[name])];
  }

  function chainVariants(node) {
    const variants = [];
    for (let at = node.expression; at; at = at.object ?? at.callee ?? at.expression) {
      if (!at.optional) continue;
      const from = (at.object ?? at.callee).end;
      const dots = source.indexOf('?.', from);
      const plain = at.type === 'MemberExpression' && !at.computed ? '.' : '';
      variants.push(source.slice(node.start, dots) + plain + source.slice(dots + 2, node.end));
    }
    return variants;
  }

  /** The same operands, in whatever brackets they stand, under another operator. */
  function operated(node, operator) {
    const at = source.indexOf(node.operator, node.left.end);
    const left = source.slice(node.start, at);
    const right = source.slice(at + node.operator.length, node.end);
    return node.type === 'AssignmentExpression' ? `${left}${operator}(${right})` : `(${left})${operator}(${right})`;
  }
}

function isText(node) {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

/** On one line, so that what follows keeps its own; a line comment would swallow the rest. */
function oneLine(code) {
  return code.replaceAll(/^\s*\/\/.*$/gm, '').replaceAll(/\s*\n\s*/g, ' ');
}
