/*
 * How to add a command
 *
 * Every operation of the API is a command already (cli/operation makes them from the manifest). What needs a form of its
 * own is a file in cli/commands:
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
 * and a line in cli/commands.ts (then `npx vitest run tests/unit/cli/commands.test.ts --update` lists it in docs/commands.md). A name that an operation has replaces the generated command. `run` gets what was typed
 * (`input`) and everything else (`context`, see cli/context.ts): `context.request` calls an operation with retries and
 * throws a `Failure` that carries the exit code; `context.output` prints (`show`, `table`, `line`, `note`), colours,
 * tells times, asks (`confirm`) and shows progress. To end with another exit code, throw a `Failure` or return the code.
 * Import what is heavy inside of `run`: it becomes a file of its own that other commands do not load.
 */
import type { CommandContext } from '@/cli/context';
import type { ExitCode } from '@/cli/failure';
import type { Reference } from '@/cli/operation/form';

export interface ArgumentDefinition {
  /** In capitals in the help. */
  name: string;
  description: string;
  optional?: boolean;
  /** Whether --data may have it instead. */
  inData?: boolean;
  choices?: readonly string[];
  /** What it names, for completion. */
  reference?: Reference;
}

export interface OptionDefinition {
  /** Without dashes: `user-id`. */
  flag: string;
  /** Whether `--no-...` says the opposite, or that there is no value; then it is false. */
  negatable?: boolean;
  /** Named in the usage; the command itself refuses to go on without it. */
  required?: boolean;
  /** One letter. */
  short?: string;
  /** Placeholder of the value, in capitals; without one the option is a switch. */
  value?: string;
  description: string;
  choices?: readonly string[];
  /** What the value names, for completion. */
  reference?: Reference;
  /** May be given several times; the value is a list. */
  repeatable?: boolean;
  /** Heading in the help. */
  group?: string;
}

/** What was typed. */
export interface Input {
  readonly arguments: Readonly<Record<string, string | undefined>>;
  /** By flag; only what was given. Text, true or false for a switch, a list for a repeatable option. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

export interface CommandDefinition {
  /** The words after `sluice`. */
  readonly name: string;
  /** Other words for the last one. */
  readonly aliases?: readonly string[];
  /** One line without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** The operations that it stands for, beside the one of its name. */
  readonly operations?: readonly string[];
  readonly arguments?: readonly ArgumentDefinition[];
  readonly options?: readonly OptionDefinition[];
  /** Whole lines that begin with `sluice`. */
  readonly examples: readonly string[];
  /** Answers the exit code; 0 when there is none. @throws Failure */
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands have no exit code of their own.
  run(context: CommandContext, input: Input): Promise<ExitCode | void>;
}

export function defineCommand(definition: CommandDefinition): CommandDefinition {
  return definition;
}

/** The text of an option; undefined when it was not given. */
export function textOf(input: Input, flag: string): string | undefined {
  const value = input.options[flag];
  return typeof value === 'string' ? value : undefined;
}

/** Whether a switch was given. */
export function isOn(input: Input, flag: string): boolean {
  return input.options[flag] === true;
}

/** All values of a repeatable option. @public */
export function listOf(input: Input, flag: string): readonly string[] {
  const value = input.options[flag];
  return Array.isArray(value) ? value : [];
}

/** Of commands that work on the stores themselves, without a server. */
export const ENV_FILE: OptionDefinition = {
  flag: 'env-file',
  value: 'FILE',
  description: "The server's settings; its .env when absent. Variables that are set win.",
};
