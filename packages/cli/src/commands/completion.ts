import { RootCommand, script } from '@bomb.sh/tab';
import { EXIT } from '../exit-code.ts';
import { Misunderstood } from '../misunderstood.ts';
import { COMMON, type OptionTable } from '../options.ts';
import type { Command } from './command.ts';

const SHELLS = ['bash', 'zsh', 'fish'];
const PROGRAM = 'asset-gateway-client';

type Completed = Parameters<Parameters<InstanceType<typeof RootCommand>['argument']>[1] & {}>[0];

const offering =
  (values: readonly string[] = []) =>
  (complete: Completed): void => {
    for (const value of values) complete(value, '');
  };

/** Tells the completion what a command takes. */
function describe(
  target: ReturnType<RootCommand['command']>,
  { completes, options }: Pick<Command, 'completes' | 'options'>,
): void {
  if (completes) target.argument('word', offering(completes));
  for (const [name, { type, description, values }] of Object.entries<OptionTable[string]>({ ...options, ...COMMON })) {
    if (type === 'boolean') target.option(name, description);
    else target.option(name, description, offering(values));
  }
}

/** Answers a shell that asks what may follow these words. */
export function completeWords(commands: readonly Command[], words: readonly string[]): void {
  const root = new RootCommand();
  for (const command of commands.filter(({ name }) => /^\w/.test(name)))
    describe(root.command(command.name, command.summary), command);
  root.parse([...words]);
}

/** The script that a shell reads to complete the program's words. */
export const completionCommand: Command = {
  name: 'completion',
  takes: SHELLS.join('|'),
  summary: 'what makes your shell complete these commands',
  examples: [
    'completion bash >> ~/.bashrc',
    'completion zsh >> ~/.zshrc',
    'completion fish > ~/.config/fish/completions/asset-gateway-client.fish',
  ],
  completes: SHELLS,
  async run({ words: [shell = '', ...more] }) {
    if (!SHELLS.includes(shell) || more.length > 0) throw new Misunderstood(`completion takes ${SHELLS.join(', ')}`);
    script(shell, PROGRAM, PROGRAM);
    return EXIT.ok;
  },
};
