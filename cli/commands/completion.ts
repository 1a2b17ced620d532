import { defineCommand } from '@/cli/command';
import { createUsageFailure } from '@/cli/failure';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'];

export const completion = defineCommand({
  name: 'completion',
  summary: 'Print the completion script of a shell',
  description:
    'The shell then asks sluice for candidates, so that they are never out of date: commands, options, their values, files, and the names of keys, tokens and members on the server.',
  arguments: [{ name: 'shell', description: 'The shell.', choices: SHELLS }],
  examples: [
    'eval "$(sluice completion bash)"    # in ~/.bashrc',
    'source <(sluice completion zsh)     # in ~/.zshrc, after compinit',
    'sluice completion fish | source     # in ~/.config/fish/config.fish',
  ],
  async run(context, { arguments: { shell } }) {
    if (shell === undefined) throw createUsageFailure('Name the shell.');
    const { buildCompletionScript } = await import('@/cli/completion/completion-script');
    await context.output.write(buildCompletionScript(shell));
  },
});
