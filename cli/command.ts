/*
 * How to add a command
 *
 * Every operation of the API is already a command, generated from the manifest by cli/operation. A command that needs
 * more is a file in cli/commands:
 *
 *   export const doctor = defineCommand({
 *     name: 'doctor',
 *     summary: 'Check the connection to the server',
 *     options: [{ flag: 'only', value: 'CHECK', description: 'Run only this check.', choices: ['token', 'clock'] }],
 *     examples: ['sluice doctor', 'sluice doctor --only clock'],
 *     async run(context, input) {
 *       const answer = await context.request('readReadiness', { query: { strict: 'true' } });
 *       await context.output.show(answer.body);
 *     },
 *   });
 *
 * Add it to the list in cli/commands.ts, then run `npx vitest run tests/unit/cli/commands.test.ts --update`, which adds
 * it to docs/commands.md. A command with the name of an operation replaces the generated one.
 *
 * `run` receives the parsed command line (`input`) and its environment (`context`, see cli/context.ts).
 * `context.request` calls an operation with retries and throws a `Failure` that carries the exit code.
 * `context.output` prints (`show`, `table`, `line`, `note`), colours, formats times, asks (`confirm`) and shows
 * progress. To end with another exit code, throw a `Failure` or return the code. Import heavy modules inside `run`, so
 * that other commands do not load them.
 */
import type { CommandContext } from '@/cli/context';
import type { ExitCode } from '@/cli/failure';
import type { Reference } from '@/cli/operation/form';

export interface ArgumentDefinition {
  /** Name of the argument; the help shows it in capitals. */
  name: string;
  description: string;
  optional?: boolean;
  /** True if `--data` may supply it instead. */
  inData?: boolean;
  choices?: readonly string[];
  /** Kind of object that it names, for completion. */
  reference?: Reference;
}

export interface OptionDefinition {
  /** Name without dashes: `user-id`. */
  flag: string;
  /** True if `--no-...` negates the option or clears its value; the value is then false. */
  negatable?: boolean;
  /** Shown as required in the usage. The command itself enforces it. */
  required?: boolean;
  /** Single letter. */
  short?: string;
  /** Placeholder of the value, in capitals. Without it the option is a switch. */
  value?: string;
  description: string;
  choices?: readonly string[];
  /** Kind of object that the value names, for completion. */
  reference?: Reference;
  /** Allows the option several times; its value is a list. */
  repeatable?: boolean;
  /** Heading in the help. */
  group?: string;
}

/** Parsed command line. */
export interface Input {
  readonly arguments: Readonly<Record<string, string | undefined>>;
  /** Given options by flag: text, true or false for a switch, a list for a repeatable option. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

export interface CommandDefinition {
  /** Words after `sluice`. */
  readonly name: string;
  /** Alternatives for the last word. */
  readonly aliases?: readonly string[];
  /** One line without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** Operations that it covers in addition to the one of its name. */
  readonly operations?: readonly string[];
  readonly arguments?: readonly ArgumentDefinition[];
  readonly options?: readonly OptionDefinition[];
  /** Complete command lines that begin with `sluice`. */
  readonly examples: readonly string[];
  /** Returns the exit code, or nothing for 0. @throws Failure */
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands return no exit code.
  run(context: CommandContext, input: Input): Promise<ExitCode | void>;
}

export function defineCommand(definition: CommandDefinition): CommandDefinition {
  return definition;
}

/** Returns the text of an option, or undefined if it was not given. */
export function readText(input: Input, flag: string): string | undefined {
  const value = input.options[flag];
  return typeof value === 'string' ? value : undefined;
}

/** True if a switch was given. */
export function isOn(input: Input, flag: string): boolean {
  return input.options[flag] === true;
}

/** Returns all values of a repeatable option. @public */
export function readList(input: Input, flag: string): readonly string[] {
  const value = input.options[flag];
  return Array.isArray(value) ? value : [];
}

/** Option of commands that work on the stores directly, without a server. */
export const ENV_FILE: OptionDefinition = {
  flag: 'env-file',
  value: 'FILE',
  description: "The server's settings; its .env when absent. Variables that are set win.",
};
