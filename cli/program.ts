import { Argument, Command, type Help, Option } from 'commander';
import type { ArgumentDefinition, CommandDefinition, Input, OptionDefinition } from '@/cli/command';
import type { GlobalOptions } from '@/cli/context';
import { createUsageFailure } from '@/cli/failure';
import { GLOBAL_OPTIONS, USUAL_TIMEOUT_S } from '@/cli/global-options';
import { GROUPS } from '@/cli/groups';

const FOOTER = `
Examples:
  sluice login http://localhost:3000
  sluice routes set POST /api/transfers --class sensitive
  sluice keys create --name Reports --tier starter
  sluice allowlist add 198.51.100.0/24 --for 1d --reason "Office move"
  sluice decisions callers --outcome refused --since 1h
  sluice state pull sluice.yaml

Terms:
  class     the kind of a request: auth, sensitive, read, write or lab. Route
            rules say which it is, policies how much of a class is allowed.
  tier      how many requests a month an API key has.
  override  a limit for one address, range or user, in place of the class's.

\`sluice COMMAND --help\` explains a command, or lists those of a group.
The console makes the admin token for \`sluice login\`: Settings, Admin tokens.
Secrets come from the environment or stdin, never from arguments: SLUICE_TOKEN
(admin token), SLUICE_API_KEY (API key: check, limits explain, quota own).
Exit codes: 0 done, 1 refused (by the server, by a limit in \`check\`, by your
"no"), 2 wrong usage, 3 not reachable, 4 plan has changes, 5 findings,
130 interrupted.`;

export type Runner = (command: CommandDefinition, input: Input, options: GlobalOptions) => Promise<void>;

/** Builds the commander program of the definitions. Errors of commander are thrown unchanged. */
export function buildProgram(definitions: readonly CommandDefinition[], version: string, run: Runner): Command {
  const program = configure(new Command('sluice'))
    .description('Sluice: rate limits, API key quotas and OAuth checks.')
    .version(version, '-V, --version', 'Print the version.')
    .usage('COMMAND [options]')
    .enablePositionalOptions();
  addOptions(program, GLOBAL_OPTIONS);
  const groups = new Map<string, Command>();
  const findGroup = (name: string): Command => {
    let group = groups.get(name);
    if (group === undefined) {
      const about = GROUPS[name];
      group = configure(program.command(name))
        .summary(about?.summary ?? name)
        .helpGroup(about?.section ?? 'Other');
      group
        .description(about?.summary ?? '')
        .usage('COMMAND [options]')
        .enablePositionalOptions();
      groups.set(name, group);
    }
    return group;
  };
  for (const definition of definitions) {
    const words = definition.name.split(' ');
    const last = words.pop() ?? '';
    const parent = words[0] === undefined ? program : findGroup(words[0]);
    const command = configure(parent.command(last));
    if (parent === program) command.helpGroup(GROUPS[last]?.section ?? 'Other');
    addCommand(command, definition, run);
  }
  program.addHelpText('after', FOOTER);
  return program;
}

/** Configures commander to throw errors, which `main` prints. */
function configure(command: Command): Command {
  return command
    .exitOverride()
    .helpCommand(false)
    .addHelpOption(new Option('-h, --help', 'Show the help.').helpGroup('Everywhere:'))
    .showSuggestionAfterError()
    .configureHelp({
      subcommandTerm: (subcommand) => subcommand.name(),
      optionDescription: ({ description, argChoices }) => addChoices(description, argChoices),
      formatItem,
      argumentDescription: ({ description, argChoices }) => addChoices(description, argChoices),
    })
    .configureOutput({ outputError: () => undefined });
}

/** Maximum width of a term before its description moves to the next line. */
const WIDEST_TERM = 34;
const LEAST_WIDTH = 40;

/**
 * Formats a term and its description, wrapped at the width of the terminal. The lengths of other terms do not matter.
 */
function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  const indent = 2;
  if (description === '') return `${' '.repeat(indent)}${term}`;
  const column = indent + Math.min(termWidth, WIDEST_TERM) + 2;
  const width = Math.max(LEAST_WIDTH, (helper.helpWidth ?? 80) - column);
  const lines = helper.boxWrap(description, width).split('\n');
  const isBelow = term.length > WIDEST_TERM;
  const head = `${' '.repeat(indent)}${isBelow ? term : term.padEnd(column - indent)}`;
  const [first = '', ...rest] = lines;
  const below = (isBelow ? lines : rest).map((line) => `${' '.repeat(column)}${line}`);
  return [isBelow ? head : `${head}${first}`, ...below].join('\n');
}

function addChoices(description: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? description : `${description} One of ${choices.join(', ')}.`.trim();
}

function addCommand(command: Command, definition: CommandDefinition, run: Runner): void {
  const { summary, description, aliases = [], arguments: taken = [], options = [], examples } = definition;
  command.summary(summary).description(description === undefined ? `${summary}.` : `${summary}.\n\n${description}`);
  command.usage(formatUsage(definition)).aliases([...aliases]);
  for (const argument of taken) command.addArgument(createArgument(argument));
  addOptions(command, options);
  const own = new Set(options.map(({ flag }) => flag));
  addOptions(
    command,
    GLOBAL_OPTIONS.filter(({ flag }) => !own.has(flag)),
  );
  if (examples.length > 0)
    command.addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`);
  command.action(async () => {
    const typed = collectOptions(command, [...options, ...GLOBAL_OPTIONS]);
    const root = command.parent?.parent ?? command.parent ?? command;
    const input = {
      arguments: Object.fromEntries(taken.map(({ name }, index) => [name, command.processedArgs[index]])),
      options: typed,
    };
    await run(
      definition,
      input,
      parseGlobalOptions({ ...collectOptions(root, GLOBAL_OPTIONS), ...removeOwn(typed, own) }),
    );
  });
}

/** Builds the usage: required inputs, and a hint at further options. */
function formatUsage({ arguments: taken = [], options = [] }: CommandDefinition): string {
  const places = taken.map(({ name, optional = false }) => {
    const shown = name.toUpperCase();
    return optional ? `[${shown}]` : `<${shown}>`;
  });
  const required = options.filter((option) => option.required);
  return [...places, ...required.map(({ flag, value }) => `--${flag} <${value}>`), '[options]'].join(' ');
}

/** Removes options that the command defines itself, even if a global option has the same name. */
function removeOwn(typed: Input['options'], own: ReadonlySet<string>): Input['options'] {
  return Object.fromEntries(Object.entries(typed).filter(([flag]) => !own.has(flag)));
}

function createArgument({
  name,
  description,
  optional = false,
  inData = false,
  choices,
}: ArgumentDefinition): Argument {
  const argument = new Argument(
    optional || inData ? `[${name.toUpperCase()}]` : `<${name.toUpperCase()}>`,
    description,
  );
  return choices === undefined ? argument : argument.choices([...choices]);
}

function addOptions(command: Command, options: readonly OptionDefinition[]): void {
  for (const { flag, short, value, description, choices, repeatable = false, negatable = false, group } of options) {
    const flags = `${short === undefined ? '' : `-${short}, `}--${flag}${value === undefined ? '' : ` <${value}>`}`;
    const option = new Option(flags, description);
    if (choices !== undefined) option.choices([...choices]);
    if (repeatable) {
      option.argParser((text: string, former: unknown) => [...(Array.isArray(former) ? former : []), text]);
    }
    if (group !== undefined) option.helpGroup(`${group}:`);
    command.addOption(option);
    if (negatable)
      command.addOption(new Option(`--no-${flag}`, value === undefined ? 'The opposite.' : 'Without one.'));
  }
}

/** Collects the given options by flag. */
function collectOptions(command: Command, definitions: readonly OptionDefinition[]): Input['options'] {
  return Object.fromEntries(
    definitions.flatMap(({ flag }) => {
      const name = nameAttribute(flag);
      return command.getOptionValueSource(name) === undefined ? [] : [[flag, command.getOptionValue(name)]];
    }),
  );
}

/** Returns the attribute under which commander stores an option. */
function nameAttribute(flag: string): string {
  return new Option(`--${flag}`).attributeName();
}

function parseGlobalOptions(typed: Input['options']): GlobalOptions {
  const seconds = Number(typed.timeout ?? USUAL_TIMEOUT_S);
  if (!(seconds > 0 && seconds <= 3_600))
    throw createUsageFailure('--timeout takes a number of seconds from 0.001 to 3600.');
  return {
    url: typeof typed.url === 'string' ? typed.url : undefined,
    tokenStdin: typed['token-stdin'] === true,
    json: typed.json === true,
    yes: typed.yes === true,
    timeoutMs: seconds * 1000,
  };
}
