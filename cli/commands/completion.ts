import { defineCommand } from '@/cli/command';
import { wrongUsage } from '@/cli/failure';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'];

export const completion = defineCommand({
  name: 'completion',
  summary: 'Print the completion of a shell',
  description: 'The shell then asks sluice itself for what can follow, so that it is never out of date.',
  arguments: [{ name: 'shell', description: 'Whose it is.', choices: SHELLS }],
  examples: [
    'source <(sluice completion bash)            # in ~/.bashrc',
    'source <(sluice completion zsh)             # in ~/.zshrc, after compinit',
    'sluice completion fish | source             # in ~/.config/fish/config.fish',
  ],
  async run(context, { arguments: { shell } }) {
    if (shell === undefined) throw wrongUsage('Which shell?');
    const { completionScript } = await import('@/cli/completion/completion-script');
    await context.output.write(completionScript(shell));
  },
});
