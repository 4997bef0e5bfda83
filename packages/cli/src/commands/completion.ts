import { RootCommand, script } from '@bomb.sh/tab';
import { EXIT, UsageError } from '../exit-code.ts';
import { COMMON, type OptionTable } from '../options.ts';
import type { Command } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'];
const PROGRAM = 'asset-gateway-client';

type Completed = Parameters<Parameters<InstanceType<typeof RootCommand>['argument']>[1] & {}>[0];

const suggest =
  (values: readonly string[] = []) =>
  (complete: Completed): void => {
    for (const value of values) complete(value, '');
  };

/** Registers the words and options of a command. */
function describe(
  target: ReturnType<RootCommand['command']>,
  { completes, options }: Pick<Command, 'completes' | 'options'>,
): void {
  if (completes) target.argument('word', suggest(completes));
  for (const [name, { type, description, values }] of Object.entries<OptionTable[string]>({ ...options, ...COMMON })) {
    if (type === 'boolean') target.option(name, description);
    else target.option(name, description, suggest(values));
  }
}

/** Prints the completions of these words for a shell. */
export function completeWords(commands: readonly Command[], words: readonly string[]): void {
  const root = new RootCommand();
  for (const command of commands.filter(({ name }) => /^\w/.test(name)))
    describe(root.command(command.name, command.summary), command);
  root.parse([...words]);
}

/** The completion script of a shell. */
export const completionCommand: Command = {
  name: 'completion',
  takes: SHELLS.join('|'),
  summary: 'the completion script for your shell',
  examples: [
    'completion bash >> ~/.bashrc',
    'completion zsh >> ~/.zshrc',
    'completion fish > ~/.config/fish/completions/asset-gateway-client.fish',
  ],
  completes: SHELLS,
  async run({ words: [shell = '', ...more] }) {
    if (!SHELLS.includes(shell) || more.length > 0) throw new UsageError(`completion takes ${SHELLS.join(', ')}`);
    script(shell, PROGRAM, PROGRAM);
    return EXIT.ok;
  },
};
