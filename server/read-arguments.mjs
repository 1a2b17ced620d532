import { parseArgs } from 'node:util';

/** Exit code of an invalid command line, as of `sluice`. */
const INVALID_USAGE = 2;

/**
 * An argument that starts with dashes.
 * @typedef {object} Option
 * @property {'boolean' | 'string'} [type] a flag, if omitted
 * @property {string} [short]
 * @property {string} [default]
 * @property {string} [value] name of its value in the help
 * @property {string} [description] omitted for options that only other programs use; the help leaves them out
 */

/**
 * Reads the arguments of an entry point. Prints the help and exits if that is asked for. Exits with 2 and a sentence if
 * an argument is unknown.
 * @param {object} program
 * @param {string} program.usage the command line without its options
 * @param {string} program.summary one sentence
 * @param {Record<string, Option>} [program.options]
 * @param {readonly [name: string, description: string]} [program.positionals] arguments without dashes, if it takes any
 * @param {string} [program.version] printed for `--version`
 * @returns {{ values: Record<string, string | boolean | undefined>, positionals: string[] }}
 */
export function readArguments(program) {
  const options = {
    ...program.options,
    help: { short: 'h', description: 'Print this help.' },
    ...(program.version === undefined ? {} : { version: { short: 'V', description: 'Print the version.' } }),
  };
  const { values, positionals } = parse(process.argv.slice(2), options, program.positionals !== undefined);
  if (values.help) end(0, describe(program, options));
  if (values.version) end(0, program.version);
  return { values, positionals };
}

/** Ends the process because of an invalid argument. @param {string} sentence @returns {never} */
export function rejectArguments(sentence) {
  return end(INVALID_USAGE, `${sentence} Use --help for a list of the arguments.`);
}

function parse(args, options, allowPositionals) {
  const typed = Object.entries(options).map(([name, { type = 'boolean', short, default: value }]) => [
    name,
    { type, ...(short === undefined ? {} : { short }), ...(value === undefined ? {} : { default: value }) },
  ]);
  try {
    return parseArgs({ args: [...args], options: Object.fromEntries(typed), allowPositionals });
  } catch (error) {
    // The sentences after the first are advice on arguments without dashes.
    return rejectArguments(`${error.message.split(/\.(?:\s|$)/, 1)[0]}.`);
  }
}

function describe({ usage, summary, positionals }, options) {
  const named = Object.entries(options).filter(([, { description }]) => description !== undefined);
  const rows = named.map(([name, { short, value, description }]) => [
    `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`,
    description,
  ]);
  if (positionals !== undefined) rows.unshift(positionals);
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `Usage: ${usage} [OPTIONS]`,
    '',
    summary,
    '',
    ...rows.map(([name, description]) => `  ${name.padEnd(width)}  ${description}`),
  ].join('\n');
}

function end(code, text) {
  (code === 0 ? process.stdout : process.stderr).write(`${text}\n`);
  process.exit(code);
}
